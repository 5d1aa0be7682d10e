// Compiles the catalogues in packaging/po to Swift, while the package is built.
//
// packaging/po/messages.pot lists every message that users read, with its English text. A .po file
// for each other language contains the translations. The generated code has a function `text(in:)`
// for each enumeration of messages. Its texts are string literals: a program reads no catalogue.
//
// `Catalogue` parses a file, `Message` is an entry of the template, `TranslatedText` is its text in a
// language, and `GeneratedSource` is the Swift code.
//
// MUST 1: an incomplete or malformed catalogue ends the build with an error that names the file, the
// line and the message. (`CatalogueCompilerTests.problems`)
// MUST 2: nothing in a translation becomes code: a text is a string literal, in which only named
// values are inserted. (`CatalogueCompilerTests.escaping`)

import Foundation

/// The program: `MFACatalogueCompiler MODULE OUTPUT TEMPLATE CATALOGUE...`.
@main struct CatalogueCompiler {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4 else {
      stop("error: usage: MFACatalogueCompiler MODULE OUTPUT TEMPLATE CATALOGUE...")
    }
    let files = arguments[3...].map { path in
      do {
        return CatalogueFile(path: path, text: try String(contentsOfFile: path, encoding: .utf8))
      } catch {
        stop("\(path):1: error: the catalogue cannot be read as UTF-8: \(error)")
      }
    }
    do {
      let source = try compile(files, for: arguments[1])
      // A file that is written anew makes everything that uses the module compile again.
      let written = FileManager.default.contents(atPath: arguments[2])
      if written != Data(source.utf8) {
        try source.write(toFile: arguments[2], atomically: true, encoding: .utf8)
      }
    } catch let problems as Problems {
      stop(problems.description)
    } catch {
      stop("\(arguments[2]):1: error: the file cannot be written: \(error)")
    }
  }

  /// Returns the Swift code with the messages of a module, or throws every problem of the catalogues.
  /// The first file is the template.
  static func compile(
    _ files: [CatalogueFile], for module: String,
    languages: [CatalogueLanguage] = CatalogueLanguage.all,
    modules: [MessageModule] = MessageModule.all
  ) throws(Problems) -> String {
    var problems = Problems()
    let catalogues = files.map { Catalogue($0, problems: &problems) }
    guard let template = catalogues.first else { return "" }
    let messages = template.messages(of: modules, problems: &problems)
    guard problems.isEmpty else { throw problems }
    var texts: [(CatalogueLanguage, [TranslatedText])] = []
    for (index, language) in languages.enumerated() {
      guard let catalogue = catalogues.first(where: { $0.file.name == language.fileName }) else {
        problems.add(template.file, 1, "there is no catalogue \(language.fileName)")
        continue
      }
      texts.append(
        (language, catalogue.texts(of: messages, isTemplate: index == 0, problems: &problems)))
    }
    for catalogue in catalogues
    where !languages.contains(where: { $0.fileName == catalogue.file.name }) {
      problems.add(
        catalogue.file, 1, "the language is unknown: add it to CatalogueLanguage.all and Language")
    }
    guard let module = modules.first(where: { $0.name == module }) else {
      problems.add(template.file, 1, "the module \(module) is unknown: add it to MessageModule.all")
      throw problems
    }
    guard problems.isEmpty else { throw problems }
    return GeneratedSource(module: module, messages: messages, texts: texts).text
  }

  private static func stop(_ text: String) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(1)
  }
}

/// The problems of catalogues. Each is a line as a compiler writes it.
struct Problems: Error, CustomStringConvertible {
  private(set) var lines: [String] = []

  var isEmpty: Bool { lines.isEmpty }
  var description: String { lines.joined(separator: "\n") }

  /// Adds a problem at a line of a file.
  mutating func add(_ file: CatalogueFile, _ line: Int, _ problem: String) {
    lines.append("\(file.path):\(line): error: \(problem)")
  }
}
