/* SPDX-License-Identifier: MIT
 * CHECK(condition): prints what failed, with the library's error text, and exits with 1. */
#ifndef LOCKSTEP_TESTS_CAPI_CHECK_H
#define LOCKSTEP_TESTS_CAPI_CHECK_H
#include <stdio.h>
#include <stdlib.h>

#include "cli/capi/lockstep.h"

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, lockstep_last_error()); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

#endif
