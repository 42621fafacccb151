# SPDX-License-Identifier: MIT
"""rocm-smi 5.2.3 of Debian 12, unmodified: what sysfs says of emulated devices, as a monitor shows it."""

import re

import pytest
import rocm_support as rocm

# Device, its id, marketing name, memory in bytes, clocks in MHz: of the cards that the profiles stand for.
CARDS = [
    ("gfx90a", "0x740f", "AMD Instinct MI210", 64 << 30, 1700, 1600),
    ("gfx1100", "0x744c", "AMD Radeon RX 7900 XTX", 24 << 30, 2482, 1249),
    ("gfx1201", "0x7550", "AMD Radeon RX 9070 XT", 16 << 30, 2970, 1258),
]


@pytest.fixture(scope="module")
def smi():
    return rocm.need("rocm-smi", "rocm-smi")


@pytest.mark.parametrize("device, chip, name, vram, sclk, mclk", CARDS)
def test_one_card(device, chip, name, vram, sclk, mclk, smi, tmp_path):
    result = rocm.run([smi, "--showid", "--showbus", "--showuniqueid", "--showproductname", "--showmeminfo", "vram", "--showclocks",
                       "--showvbios", "--showpids"], device, 1, tmp_path)
    text = result.text
    assert result.status == 0, text
    for shown in (f"GPU ID: {chip}", "PCI Bus: 0000:03:00.0", f"Card series: \t\t{name}", f"VRAM Total Memory (B): {vram}",
                  "VRAM Total Used Memory (B): 0", f"sclk clock level: 0: ({sclk}Mhz)", f"mclk clock level: 0: ({mclk}Mhz)",
                  f"VBIOS version: LOCKSTEP-{device}", "No KFD PIDs currently running"):
        assert shown in text, (shown, text)
    assert re.search(r"Unique ID: 0x[0-9a-f]{16}\b", text), text
    rocm.note("rocm-smi", "5.2.3 (Debian 12)", device, "identity, memory, clocks")


def test_what_nothing_measures_is_not_available(smi, tmp_path):
    result = rocm.run([smi, "--showtemp", "--showpower", "--showuse"], "gfx1100", 1, tmp_path)
    assert "Temperature (Sensor edge) (C): N/A" in result.text and "Package Power (W): N/A" in result.text, result.text
    assert "GPU use (%): 0" in result.text, result.text
    assert result.status == 2, "its way to say that a value is missing"


def test_table_of_unlike_cards(smi, tmp_path):
    text = rocm.run([smi], "gfx1100,gfx942", 2, tmp_path).text
    rows = re.findall(r"^(\d) +N/A +N/A +(\d+)Mhz +(\d+)Mhz", text, re.M)
    assert rows == [("0", "2482", "1249"), ("1", "2100", "1300")], text


def test_links_between_cards_of_a_hive(smi, tmp_path):
    text = rocm.run([smi, "--showtopotype"], "gfx942", 2, tmp_path).text
    assert re.search(r"^GPU0 +0 +XGMI", text, re.M) and re.search(r"^GPU1 +XGMI +0", text, re.M), text
