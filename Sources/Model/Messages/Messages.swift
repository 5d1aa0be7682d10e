// All text that users read, in every language.
//
// Each enumeration lists messages of one part of the product, with named values. The texts are in the
// catalogues in packaging/po, from which Texts.swift is generated during a build, with a function
// `text(in:)` for each enumeration. A message without a text in a language does not compile. A text is
// a string literal in the program. No file is read, the locale of the process is not changed, and
// nothing in a text is interpreted as a format.
//
// Messages to administrators (mfa-admin, log lines) are in English and are not part of this target.
//
// MUST 1: a text contains neither control characters other than newlines nor deceptive characters,
// apart from the values that are inserted. (`CatalogueTests.characters`)
// MUST 2: a prompt, with the longest values, fits into a PAM message. (`CatalogueTests.lengths`)
