// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "samples",
  dependencies: [.package(url: "LIBRARY", from: "1.0.0")],
  targets: [
    .target(name: "Policy"),
    .target(name: "System"),
    .target(name: "Helper"),
    .executableTarget(
      name: "samples",
      dependencies: [
        "Policy", "System", "Helper", .product(name: "MultiFactor", package: "mfa"),
        .product(name: "MultiFactorQR", package: "mfa"),
      ]),
  ]
)
