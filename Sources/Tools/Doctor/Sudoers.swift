// What sudo asks of a user before it runs a command.
//
// `SudoersPolicy` is what `cvtsudoers -f json`, or `sudo -ll -U USER`, prints. `SudoVersion` is what
// `sudo -V` prints: the settings of this host's sudo. `SudoersPolicy.effects` returns what sudo does for
// a user. `SudoersFiles` finds the line of the files that causes an effect.
//
// MUST 1: a rule whose users or hosts cannot be determined here, such as a netgroup, counts as one that
// applies if it lets the user through, and as one that does not apply if it asks.
// (`SudoEffectTests.table`)
// MUST 2: the rules are matched as sudo matches them. (`SudoersTests.agreesWithSudo`)
// MUST 3: these types read no file and run no program.
