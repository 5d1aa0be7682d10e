// All text that users read, in every language.
//
// Each enumeration lists messages of one part of the product, with named values. The texts are in the
// catalogues in packaging/po. A build generates Texts.swift from them, with a function `text(in:)` for
// each enumeration, and fails if a message has no text in a language. The program contains the texts as
// string literals: it reads no file, does not change the locale of the process, and interprets nothing in
// a text as a format.
//
// Messages to administrators (mfa-admin, log lines) are in English and are not part of this target.
//
// MUST 1: a text contains neither control characters other than newlines nor deceptive characters,
// apart from the values that are inserted. (`CatalogueTests.characters`)
// MUST 2: a prompt, with the longest values, fits into a PAM message. (`CatalogueTests.lengths`)
