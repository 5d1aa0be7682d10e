# A module of NixOS for mfa. It was parsed, and was never run or evaluated on a NixOS host. The project has no
# derivation that builds the programs. Try the module in a virtual machine first.
#
#   imports = [ ./mfa/packaging/nixos/module.nix ];
#   services.mfa = {
#     enable = true;
#     package = ./mfa-files;  # what `DESTDIR=... PAM_MODULE_DIR=/usr/lib/security packaging/install` has written
#     settings.enrollment = "offered";
#     services = [ "sshd" "sudo" ];
#   };
#
# `mfa-admin enable` is not for NixOS, which writes the service files itself. The differences from other hosts:
#
# - Changes that are made with mfa-enroll are not in the kernel's audit trail, because a wrapper cannot be setuid and
#   have a capability.
# - No gateway can be used: mfad refuses a gateway behind a symbolic link.
#
# The options security.pam.services.<name>.rules are experimental. After an update of NixOS, compare the service files
# in /etc/pam.d with those before: a changed order of lines can lock all users out, or let all users in.
{ config, lib, pkgs, ... }:

let
  cfg = config.services.mfa;

  # The programs expect each other here.
  programs = "/usr/lib/mfa";

  module = "${cfg.package}/usr/lib/security/pam_mfa.so";

  settings = pkgs.writeText "mfa.conf" ''
    [project]
    ${lib.generators.toKeyValue { mkKeyValue = name: value: "${name} = ${toString value}"; } cfg.settings}
    ${cfg.extraConfig}
  '';

  tools = pkgs.runCommand "mfa-tools" { } ''
    mkdir -p $out/bin $out/share
    ln -s ${cfg.package}/usr/bin/mfa-enroll ${cfg.package}/usr/sbin/mfa-admin $out/bin
    ln -s ${cfg.package}/usr/share/man ${cfg.package}/usr/share/mfa $out/share
  '';

  # Without the links that enable the units: NixOS has wantedBy.
  units = pkgs.runCommand "mfa-units" { } ''
    mkdir -p $out/lib/systemd/system
    cp ${cfg.package}/usr/lib/systemd/system/mfa*.* $out/lib/systemd/system
    rm $out/lib/systemd/system/mfa-gateway*
  '';

  # The script runs its second part without the environment, as the user mfa.
  makeStore = pkgs.runCommand "mfa-make-store" { } ''
    substitute ${cfg.package}/usr/lib/mfa/make-store $out \
      --replace PATH=/usr/bin:/bin PATH=${lib.makeBinPath [ pkgs.coreutils ]}
    chmod +x $out
  '';

  # The lines of `mfa-admin enable`. The line of pam_unix ends the stack after a wrong password, and no longer after
  # the right one, so that the code is asked for; pam_deny behind it must go.
  lines = name:
    let
      rules = config.security.pam.services.${name}.rules;
    in
    {
      rules.auth = {
        unix.control = lib.mkForce "requisite";
        deny.enable = lib.mkForce false;
        mfa = {
          order = rules.auth.unix.order + 10;
          control = "requisite";
          modulePath = module;
          args = [ "after_password" ];
        };
      };
      rules.account.mfa = {
        order = rules.account.unix.order - 10;
        control = "required";
        modulePath = module;
      };
      rules.session = lib.mkIf (name == "sshd") {
        mfa = {
          order = rules.session.unix.order + 10;
          control = "optional";
          modulePath = module;
        };
      };
    };
in
{
  options.services.mfa = {
    enable = lib.mkEnableOption "a second factor for sign-ins";

    package = lib.mkOption {
      type = lib.types.path;
      description = ''
        The files of an installation: the folder DIR of
        `DESTDIR=DIR PAM_MODULE_DIR=/usr/lib/security packaging/install`. The programs must run on NixOS: those that
        were built on another distribution require its loader and its libraries.
      '';
    };

    settings = lib.mkOption {
      type = lib.types.attrsOf (lib.types.either lib.types.str lib.types.int);
      default = { };
      example = { enrollment = "offered"; offer_sign_ins = 5; };
      description = "The settings of all sign-ins, as in {manpage}`mfa.conf(5)`.";
    };

    extraConfig = lib.mkOption {
      type = lib.types.lines;
      default = "";
      example = ''
        [tenant sudo]
        services = sudo
        fresh_for = 15m
      '';
      description = "Text at the end of mfa.conf, for example tenants.";
    };

    services = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ ];
      example = [ "sshd" "sudo" ];
      description = ''
        The services that ask for a code after the password. Only passwords of pam_unix are supported. A module that
        ends the stack before, such as that of fingerprints, signs users in without a code.
      '';
    };
  };

  config = lib.mkIf cfg.enable {
    assertions = map
      (name: {
        assertion = config.security.pam.services.${name}.unixAuth
          && !config.services.sssd.enable && !config.users.ldap.enable && !config.security.pam.krb5.enable;
        message = "services.mfa.services: ${name} would accept passwords of other modules than pam_unix without a code";
      })
      cfg.services;

    users.users = {
      mfa = {
        isSystemUser = true;
        group = "mfa";
        home = "/var/lib/mfa";
        description = "Second factors of sign-in";
      };
    };
    users.groups.mfa = { };

    security.wrappers.mfa-helper = {
      setuid = true;
      setgid = true;
      owner = "mfa";
      group = "mfa";
      permissions = "u+rx,g+rx,o+rx";
      source = "${cfg.package}/usr/lib/mfa/mfa-helper";
    };

    # The service with which the helper verifies a user's password, and those that ask for a code.
    security.pam.services = {
      mfa-enroll.text = ''
        auth requisite pam_unix.so
        account required pam_unix.so
      '';
    } // lib.genAttrs cfg.services lines;

    # Files in place of links: the module trusts no link in the stack of a user who has to enrol, and none to
    # its configuration.
    environment.etc = {
      "mfa/mfa.conf" = {
        source = settings;
        mode = "0644";
      };
    } // lib.listToAttrs (map
      (name: lib.nameValuePair "pam.d/${name}" { mode = "0444"; })
      ([ "mfa-enroll" ] ++ cfg.services));

    services.openssh.settings = lib.mkIf (lib.elem "sshd" cfg.services) {
      UsePAM = true;
      KbdInteractiveAuthentication = true;
      PasswordAuthentication = false;
      AuthenticationMethods = "keyboard-interactive";
    };

    environment.systemPackages = [ tools ];

    systemd.tmpfiles.rules = [
      "d /run/mfa 0755 root root -"
      "d ${programs} 0755 root root -"
      "L+ ${programs}/mfa-helper - - - - ${config.security.wrapperDir}/mfa-helper"
      "L+ ${programs}/mfad - - - - ${cfg.package}/usr/lib/mfa/mfad"
      "d /usr/sbin 0755 root root -"
      "L+ /usr/sbin/mfa-admin - - - - ${cfg.package}/usr/sbin/mfa-admin"
    ];

    systemd.packages = [ units ];
    systemd.sockets.mfad.wantedBy = [ "sockets.target" ];
    systemd.sockets.mfad-users.wantedBy = [ "sockets.target" ];
    systemd.paths.mfa-mail.wantedBy = [ "paths.target" ];
    systemd.timers.mfa-check.wantedBy = [ "timers.target" ];

    # Only while there is no key, as at the first start. If the store disappeared later, an empty one would let all
    # users sign in without a code.
    systemd.services.mfa-store = {
      description = "Create the store and the key of second factors";
      wantedBy = [ "multi-user.target" ];
      before = [ "sshd.service" ];
      unitConfig.ConditionPathExists = "!/etc/mfa/key";
      path = [ pkgs.bash pkgs.coreutils pkgs.findutils pkgs.util-linux ];
      serviceConfig.Type = "oneshot";
      script = "${makeStore}";
    };
  };
}
