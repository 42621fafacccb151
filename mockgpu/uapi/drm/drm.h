// SPDX-License-Identifier: MIT
// <linux/kfd_ioctl.h> asks for <drm/drm.h>, which Debian installs under libdrm.
#pragma once
#include <libdrm/drm.h>
