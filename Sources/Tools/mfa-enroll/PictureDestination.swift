import ArgumentParser

/// The destination of a new key's picture.
enum PictureDestination: Equatable, ExpressibleByArgument {
  case terminal
  case file(path: String, format: PictureFormat)
  case nowhere

  init?(argument: String) {
    switch argument {
    case "terminal": self = .terminal
    case "none": self = .nowhere
    case _:
      guard let sign = argument.firstIndex(of: "="),
        let format = PictureFormat(rawValue: String(argument[..<sign]))
      else { return nil }
      let path = String(argument[argument.index(after: sign)...])
      guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
      self = .file(path: path, format: format)
    }
  }
}
