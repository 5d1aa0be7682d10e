/// The name of this module, which is also that of a folder in the library's package.
public let nameOfSystem = "System"
