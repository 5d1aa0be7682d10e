import Foundation
import Testing

@testable import MultiFactor

/// The user's app for a type, by the files of a desktop.
@Suite struct DesktopAppTests {
  struct Row: Sendable {
    let number: Int
    /// The files below the folders `home`, `config`, `data` and `system`.
    let files: [String: String]
    let app: String?
  }

  static let entry = "[Desktop Entry]\nDBusActivatable = true\n"
  static let type = "x-scheme-handler/otpauth"

  static let rows = [
    Row(number: 1, files: [:], app: nil),
    Row(
      number: 2,
      files: [
        "data/applications/a.desktop": entry, "data/applications/b.desktop": entry,
        "data/applications/mimeinfo.cache": "[MIME Cache]\n\(type)=b.desktop;a.desktop;\n",
      ], app: "b"),
    // The user's choice is more important than the system's, and than the desktop's.
    Row(
      number: 3,
      files: [
        "data/applications/a.desktop": entry, "data/applications/b.desktop": entry,
        "system/mimeapps.list": "[Default Applications]\n\(type)=a.desktop\n",
        "config/mimeapps.list": "# x\n[Default Applications]\n\(type) = b.desktop ;\n",
      ], app: "b"),
    Row(
      number: 4,
      files: [
        "data/applications/a.desktop": entry, "data/applications/b.desktop": entry,
        "config/mimeapps.list": "[Default Applications]\n\(type)=b.desktop\n",
        "config/gnome-mimeapps.list": "[Default Applications]\n\(type)=a.desktop\n",
      ], app: "a"),
    // An app that is not installed, or hidden, is passed over.
    Row(
      number: 5,
      files: [
        "data/applications/a.desktop": entry + "Hidden=true\n",
        "data/applications/b.desktop": entry,
        "config/mimeapps.list":
          "[Default Applications]\n\(type)=gone.desktop;a.desktop;b.desktop\n",
      ], app: "b"),
    Row(
      number: 6,
      files: [
        "data/applications/a.desktop": entry, "data/applications/b.desktop": entry,
        "config/mimeapps.list":
          "[Added Associations]\n\(type)=b.desktop;\n[Removed Associations]\n\(type)=a.desktop;\n",
        "data/applications/mimeinfo.cache": "[MIME Cache]\n\(type)=a.desktop;\n",
      ], app: "b"),
    Row(
      number: 7,
      files: [
        "data/applications/a.desktop": entry,
        "config/mimeapps.list": "[Removed Associations]\n\(type)=a.desktop;\n",
        "data/applications/mimeinfo.cache": "[MIME Cache]\n\(type)=a.desktop;\n",
      ], app: nil),
    Row(
      number: 8,
      files: [
        "config/mimeapps.list": "[Default Applications]\n\(type)=../a.desktop;/a.desktop;a\n",
        "data/a.desktop": entry,
      ], app: nil),
    Row(
      number: 9,
      files: [
        "data/applications/a.desktop": entry,
        "config/mimeapps.list": "[Default Applications]\nx-scheme-handler/other=a.desktop\n",
      ], app: nil),
  ]

  @Test(arguments: rows) func app(_ row: Row) throws {
    let folder = NSTemporaryDirectory() + "desktop-app-\(row.number)-\(getpid())"
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    for (path, text) in row.files {
      let file = folder + "/" + path
      try FileManager.default.createDirectory(
        atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try text.write(toFile: file, atomically: false, encoding: .utf8)
    }
    let app = DesktopApp(
      for: Self.type,
      environment: [
        "XDG_CONFIG_HOME": folder + "/config", "XDG_CONFIG_DIRS": "relative:" + folder + "/system",
        "XDG_DATA_HOME": folder + "/home", "XDG_DATA_DIRS": folder + "/data",
        "XDG_CURRENT_DESKTOP": "GNOME:Other",
      ])
    #expect(app?.name == row.app, "row \(row.number)")
    #expect(app?.isActivatable != false, "row \(row.number)")
  }
}
