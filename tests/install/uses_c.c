/* SPDX-License-Identifier: MIT
 * Uses the installed C ABI: runs one s_endpgm, and reads the reason of a call that must be refused. */
#include <lockstep.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  static const uint32_t code[64] = {0xbfb00000}; /* s_endpgm on gfx11 */
  if (run_asm(code, sizeof code, 1, 1, 1, 32, 1, 1, NULL, 0x19c, 0, "rdna3", NULL, 0) != 0) {
    fprintf(stderr, "s_endpgm: %s\n", lockstep_last_error());
    return 1;
  }
  if (run_asm(code, sizeof code, 1, 1, 1, 32, 1, 1, NULL, 0x19c, 0, "gfx0", NULL, 0) == 0) {
    fprintf(stderr, "the target gfx0 was accepted\n");
    return 1;
  }
  if (strstr(lockstep_last_error(), "gfx0") == NULL) {
    fprintf(stderr, "the error does not name the target: %s\n", lockstep_last_error());
    return 1;
  }
  return 0;
}
