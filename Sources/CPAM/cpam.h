// What Swift may call of libpam, as an application.
#pragma once
#include <security/pam_appl.h>
