// The library that decides in the application's process: it exports one function of the Swift library.
#include "mfa.h"

mfa_verdict mfa_decide(
    mfa_line line, const mfa_request *request, const mfa_application *application) {
  switch (line) {
    case MFA_AUTH: return mfa_sign_in(request, application);
    case MFA_ACCOUNT: return mfa_account(request, application);
    case MFA_SESSION: return mfa_session(request, application);
  }
  return MFA_DENY;
}
