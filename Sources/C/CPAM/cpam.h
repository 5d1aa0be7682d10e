// The functions of libpam for applications, and the functions of the C library that allocate and
// fill the memory of answers to PAM.
#pragma once

#include <security/pam_appl.h>
#include <stdlib.h>
#include <string.h>
