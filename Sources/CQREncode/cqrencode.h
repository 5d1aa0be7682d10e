// What Swift may call of libqrencode 4.
#pragma once
#include <qrencode.h>
