import Testing

@testable import mfa_enroll

@Suite struct PictureDestinationTests {
  struct Row: Sendable {
    let number: Int
    let argument: String
    let destination: PictureDestination?
  }

  static let rows: [Row] = [
    Row(number: 1, argument: "terminal", destination: .terminal),
    Row(number: 2, argument: "none", destination: .nowhere),
    Row(number: 3, argument: "png=a", destination: .file(path: "a", format: .png)),
    Row(number: 4, argument: "svg=/a/b=c", destination: .file(path: "/a/b=c", format: .svg)),
    Row(number: 5, argument: "png=", destination: nil),
    Row(number: 6, argument: "png", destination: nil),
    Row(number: 7, argument: "PNG=a", destination: nil),
    Row(number: 8, argument: "gif=a", destination: nil),
    Row(number: 9, argument: "=a", destination: nil),
    Row(number: 10, argument: "", destination: nil),
    Row(number: 11, argument: "png=a\0b", destination: nil),
    Row(number: 12, argument: "png= none", destination: .file(path: " none", format: .png)),
  ]

  @Test("destinations of the picture are parsed", arguments: rows)
  func parsing(row: Row) {
    #expect(PictureDestination(argument: row.argument) == row.destination, "\(row.number)")
  }
}
