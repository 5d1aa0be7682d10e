import Foundation
import PackagePlugin

/// Runs the catalogue compiler when a target with messages is built and a catalogue has changed.
@main struct CatalogueCompilerPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(components: "packaging", "po")
    let catalogues = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "po" }.sorted { $0.path < $1.path }
    let files = [folder.appending(component: "messages.pot")] + catalogues
    let output = context.pluginWorkDirectoryURL.appending(component: "Texts.swift")
    return [
      .buildCommand(
        displayName: "Compiling the catalogues for \(target.name)",
        executable: try context.tool(named: "MFACatalogueCompiler").url,
        arguments: [target.name, output.path] + files.map(\.path), inputFiles: files,
        outputFiles: [output])
    ]
  }
}
