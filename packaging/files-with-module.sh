# shellcheck shell=sh
# Sourced by packaging/common.sh, and copied into the Debian package's script that runs before a removal.

# names_module [FILE]: returns whether a line of the file, or of the standard input, names the module and is read.
names_module() { grep -qsE '^[^#]*pam_mfa(\.so)?([[:space:]]|$)' "$@"; }

# files_with_module: prints the service files with a line for the module. PAM reads no file that a
# package manager, pam-auth-update or an editor left beside the one that it replaced.
files_with_module() {
  for file in /etc/pam.conf /etc/pam.d/* /usr/lib/pam.d/*; do
    case $file in
      *.dpkg-* | *.ucf-* | *.pam-* | *.rpmsave | *.rpmnew | *.rpmorig | *.bak | *.old | *.orig | *.mfa-edited | *'~') ;;
      *) if names_module "$file"; then printf '%s\n' "$file"; fi ;;
    esac
  done
}
