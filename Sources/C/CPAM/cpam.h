// The functions of libpam for an application, and those of the C library that the memory of PAM's
// answers needs.
#pragma once

#include <security/pam_appl.h>
#include <stdlib.h>
#include <string.h>
