// swift-tools-version: 6.3

import PackageDescription

// Code that runs in another program's process (the PAM module) or with another identity (the
// helper) ships as Embedded Swift: no runtime, no signal handler, no thread. The tests use the same
// sources as ordinary Swift. The trait chooses:
//
//     swift build -c release --traits Embedded --scratch-path .build-embedded --product mfa
let everywhere: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableExperimentalFeature("Lifetimes"),
]

// Optimised for size, not speed: a sign-in runs every instruction a few times at most, and pays for
// each page of code that it touches. Each function has its own section because the linker can
// remove only whole sections.
let embeddable: [SwiftSetting] =
  everywhere + [
    .enableExperimentalFeature("Embedded", .when(traits: ["Embedded"])),
    .unsafeFlags(
      [
        "-wmo", "-Osize", "-Xfrontend", "-function-sections", "-Xllvm",
        "-enable-machine-outliner=always", "-Xllvm", "-machine-outliner-reruns=4", "-Xcc",
        "-mno-red-zone",
      ], .when(traits: ["Embedded"])),
  ]

let package = Package(
  name: "mfa",
  products: [
    .library(name: "mfa", type: .static, targets: ["SignIn"]),
    .library(name: "MultiFactor", targets: ["MultiFactor"]),
    .executable(name: "mfa-helper", targets: ["mfa-helper"]),
    .executable(name: "mfa-enroll", targets: ["mfa-enroll"]),
    .executable(name: "mfa-admin", targets: ["mfa-admin"]),
  ],
  traits: [
    .trait(
      name: "Embedded",
      description: "Compile the module and the helper as Embedded Swift, as they ship.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    // C code that Swift may call: only headers, except for libcrypto, libqrencode and libpng, which
    // are loaded on first use.
    .systemLibrary(name: "CPOSIX"),
    .target(name: "CCrypto"),
    .systemLibrary(name: "CPAM"),
    .target(name: "CQREncode"),
    .target(name: "CPNG"),
    .systemLibrary(name: "CMFA"),
    .systemLibrary(name: "CSpawn"),

    // Embedded and ordinary Swift.
    .target(name: "Secrets", dependencies: ["CCrypto"], swiftSettings: embeddable),
    .target(name: "OneTimePassword", dependencies: ["Secrets"], swiftSettings: embeddable),
    .target(
      name: "Factors", dependencies: ["OneTimePassword", "Secrets"], swiftSettings: embeddable),
    .target(name: "Policy", dependencies: ["Factors", "Secrets"], swiftSettings: embeddable),
    .target(name: "System", dependencies: ["CPOSIX", "Secrets"], swiftSettings: embeddable),
    .target(name: "PAMStack", dependencies: ["Secrets", "System"], swiftSettings: embeddable),
    .target(
      name: "FactorStore", dependencies: ["Factors", "Policy", "Secrets", "System"],
      swiftSettings: embeddable),
    .target(
      name: "HelperProtocol", dependencies: ["Factors", "OneTimePassword", "Secrets"],
      exclude: ["PROTOCOL.md"], swiftSettings: embeddable),
    .target(
      name: "SignIn",
      dependencies: [
        "CMFA", "FactorStore", "Factors", "HelperProtocol", "OneTimePassword", "PAMStack", "Policy",
        "QRCode", "Secrets", "System",
      ],
      swiftSettings: embeddable),
    .target(
      name: "Helper",
      dependencies: [
        "CPAM", "FactorStore", "Factors", "HelperProtocol", "OneTimePassword", "Policy", "Secrets",
        "SignIn", "System",
      ],
      swiftSettings: embeddable, linkerSettings: [.linkedLibrary("pam")]),
    .target(name: "QRCode", dependencies: ["CQREncode", "Secrets"], swiftSettings: embeddable),
    .executableTarget(
      name: "mfa-helper", dependencies: ["CPOSIX", "Helper"], swiftSettings: embeddable),

    // Ordinary Swift.
    .target(
      name: "MultiFactor",
      dependencies: ["CSpawn", "Factors", "HelperProtocol", "OneTimePassword", "Secrets"],
      swiftSettings: everywhere),
    .target(
      name: "Import", dependencies: ["Factors", "OneTimePassword", "Secrets"],
      swiftSettings: everywhere),
    .target(
      name: "QRImage", dependencies: ["CPNG", "QRCode", "Secrets"], swiftSettings: everywhere),
    .executableTarget(
      name: "mfa-enroll",
      dependencies: [
        "Factors", "Import", "MultiFactor", "QRCode", "QRImage", "Secrets",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: everywhere),
    .executableTarget(
      name: "mfa-admin",
      dependencies: [
        "CPOSIX", "FactorStore", "Factors", "HelperProtocol", "Import", "OneTimePassword",
        "PAMStack", "Policy", "Secrets", "SignIn", "System",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: everywhere),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["CTestSupport"], path: "Tests/Support",
      exclude: ["CTestSupport", "SignIn", "pam-client"], swiftSettings: everywhere),
    .target(name: "CTestSupport", path: "Tests/Support/CTestSupport"),
    .target(
      name: "SignInTestSupport",
      dependencies: [
        "FactorStore", "Factors", "HelperProtocol", "OneTimePassword", "PAMStack", "Policy",
        "Secrets", "SignIn", "System",
      ], path: "Tests/Support/SignIn", swiftSettings: everywhere),
    .testTarget(
      name: "SignInTests",
      dependencies: [
        "FactorStore", "Factors", "HelperProtocol", "OneTimePassword", "PAMStack", "Policy",
        "Secrets", "SignIn", "SignInTestSupport", "System", "TestSupport",
      ], path: "Tests/SignIn", swiftSettings: everywhere),
    .testTarget(
      name: "FactorStoreTests",
      dependencies: [
        "FactorStore", "Factors", "OneTimePassword", "Secrets", "System", "TestSupport",
      ], path: "Tests/FactorStore", swiftSettings: everywhere),
    .testTarget(
      name: "HelperTests",
      dependencies: [
        "FactorStore", "Factors", "Helper", "HelperProtocol", "OneTimePassword", "Policy",
        "Secrets",
        "SignIn", "SignInTestSupport", "System", "TestSupport",
      ], path: "Tests/Helper", swiftSettings: everywhere),
    .testTarget(
      name: "SystemTests", dependencies: ["CTestSupport", "System", "TestSupport"],
      path: "Tests/System", swiftSettings: everywhere),
    // These three run only in packaging/private-machine.
    .testTarget(
      name: "FaultsTests", dependencies: ["TestSupport"], path: "Tests/Faults",
      swiftSettings: everywhere),
    .testTarget(
      name: "DifferentialTests", dependencies: ["TestSupport"], path: "Tests/Differential",
      swiftSettings: everywhere),
    .testTarget(
      name: "EndToEndTests", dependencies: ["TestSupport"], path: "Tests/EndToEnd",
      swiftSettings: everywhere),
    .testTarget(
      name: "SecretsTests", dependencies: ["CSecretsTesting", "Secrets"], path: "Tests/Secrets",
      exclude: ["CSecretsTesting"], swiftSettings: everywhere),
    .target(name: "CSecretsTesting", path: "Tests/Secrets/CSecretsTesting"),
    .testTarget(
      name: "OneTimePasswordTests", dependencies: ["OneTimePassword", "Secrets", "TestSupport"],
      path: "Tests/OneTimePassword", swiftSettings: everywhere),
    .testTarget(
      name: "FactorsTests", dependencies: ["Factors", "OneTimePassword", "Secrets"],
      path: "Tests/Factors", swiftSettings: everywhere),
    .testTarget(
      name: "PolicyTests", dependencies: ["Factors", "Policy"], path: "Tests/Policy",
      swiftSettings: everywhere),
    .testTarget(
      name: "PAMStackTests", dependencies: ["PAMStack", "System", "TestSupport"],
      path: "Tests/PAMStack", swiftSettings: everywhere),
    .testTarget(
      name: "HelperProtocolTests",
      dependencies: ["Factors", "HelperProtocol", "OneTimePassword", "Secrets"],
      path: "Tests/HelperProtocol", swiftSettings: everywhere),
    .testTarget(
      name: "MultiFactorTests",
      dependencies: ["Factors", "HelperProtocol", "MultiFactor", "OneTimePassword", "Secrets"],
      path: "Tests/MultiFactor", swiftSettings: everywhere),
    .testTarget(
      name: "EnrollToolTests",
      dependencies: [
        "Factors", "HelperProtocol", "MultiFactor", "OneTimePassword", "QRCode", "Secrets",
        "mfa-enroll",
      ],
      path: "Tests/mfa-enroll", swiftSettings: everywhere),
    .testTarget(
      name: "QRCodeTests", dependencies: ["QRCode", "Secrets", "TestSupport"],
      path: "Tests/QRCode",
      swiftSettings: everywhere),
    .testTarget(
      name: "ImportTests",
      dependencies: ["Factors", "Import", "OneTimePassword", "Secrets", "TestSupport"],
      path: "Tests/Import", swiftSettings: everywhere),
    .testTarget(
      name: "QRImageTests", dependencies: ["QRCode", "QRImage", "Secrets", "TestSupport"],
      path: "Tests/QRImage", swiftSettings: everywhere),
    .testTarget(
      name: "AdminTests",
      dependencies: [
        "FactorStore", "Factors", "Import", "OneTimePassword", "PAMStack", "Policy", "Secrets",
        "SignIn", "SignInTestSupport", "System", "TestSupport", "mfa-admin",
      ],
      path: "Tests/Admin", swiftSettings: everywhere),
    // Tests/Fuzz/run links the same code with libFuzzer.
    .testTarget(
      name: "FuzzReplayTests",
      dependencies: [
        "FactorStore", "Factors", "HelperProtocol", "Import", "OneTimePassword", "PAMStack",
        "Policy", "Secrets", "SignIn", "System", "TestSupport", "mfa-admin",
      ],
      path: "Tests/Fuzz", exclude: ["Regressions", "Seeds", "run"], swiftSettings: everywhere),
  ],
  swiftLanguageModes: [.v6]
)
