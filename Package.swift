// swift-tools-version: 6.3

import PackageDescription

// Code that runs in another program's process (the PAM module) or with another identity (the
// helper) ships as Embedded Swift: no runtime, no signal handler, no thread. The tests compile the
// same sources as ordinary Swift. The trait selects Embedded Swift:
//
//     swift build -c release --traits Embedded --scratch-path .build-embedded --product mfa
let everywhere: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableExperimentalFeature("Lifetimes"),
]

// Optimised for size, not speed: a sign-in runs most of the code at most a few times, and pays for
// each page of code that it touches. Each function has its own section, because the linker can
// omit only whole sections.
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

// C code compiles without warnings. In the module it is optimised for size, like the Swift code. The stack
// protector of the tools' C code is an option of packaging/build, because a package whose settings have unsafe
// flags cannot be used by other packages.
let reviewed: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
  .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
  .unsafeFlags(
    [
      "-Oz", "-ffunction-sections", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables",
      "-fstack-protector-strong",
    ], .when(traits: ["Embedded"])),
]

/// The layers, lowest first. Each layer has a folder in Sources, which contains a folder for each
/// target. A target may depend on targets of its own layer and of lower ones; packaging/test checks
/// the imports.
enum Layer: String {
  case c = "C"
  case base = "Base"
  case pure = "Pure"
  case core = "Core"
  case flow = "Flow"
  case services = "Services"
  case fleet = "Fleet"
  case clients = "Clients"
  case tools = "Tools"

  /// Whether Swift targets of this layer can be part of the module or the helper, and therefore
  /// have to compile as Embedded Swift.
  var isEmbeddable: Bool {
    switch self {
    case .base, .pure, .core, .flow, .services: true
    case .c, .fleet, .clients, .tools: false
    }
  }

  var settings: [SwiftSetting] { isEmbeddable ? embeddable : everywhere }
}

/// Returns the target in the folder `name` of a layer, named with the prefix MFA. Target names must
/// be unique among all packages of a program, so all targets except those of products have the
/// prefix.
func room(
  _ name: String, _ layer: Layer, uses dependencies: [Target.Dependency] = [],
  exclude: [String] = [],
  linker: [LinkerSetting] = []
) -> Target {
  .target(
    name: "MFA" + name, dependencies: dependencies, path: "Sources/\(layer.rawValue)/\(name)",
    exclude: exclude, swiftSettings: layer.settings, linkerSettings: linker)
}

/// Returns a target with the headers of a C library or of the system.
func headers(_ name: String, pkgConfig: String? = nil) -> Target {
  .systemLibrary(name: "MFA" + name, path: "Sources/C/" + name, pkgConfig: pkgConfig)
}

/// Returns a target of C code.
func code(_ name: String, path: String? = nil) -> Target {
  .target(name: "MFA" + name, path: path ?? "Sources/C/" + name, cSettings: reviewed)
}

/// Returns the tests of a target, or of whole programs.
func tests(
  _ name: String, in folder: String, uses dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: "MFA\(name)Tests", dependencies: dependencies, path: "Tests/" + folder, exclude: exclude,
    swiftSettings: everywhere)
}

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")

/// Returns a library that only the relay and the verifier of a fleet need. Without the trait Fleet,
/// its package is not fetched.
func fleet(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Fleet"]))
}

let package = Package(
  name: "mfa",
  products: [
    .library(name: "mfa", type: .static, targets: ["MFAResidentClient"]),
    .library(name: "mfa-decision", type: .static, targets: ["MFASignIn"]),
    .executable(name: "mfad", targets: ["mfad"]),
    .library(name: "MultiFactor", targets: ["MultiFactor"]),
    .library(name: "MultiFactorQR", targets: ["MultiFactorQR"]),
    .executable(name: "mfa-helper", targets: ["mfa-helper"]),
    .executable(name: "mfa-verifier", targets: ["mfa-verifier"]),
    .executable(name: "mfa-enroll", targets: ["mfa-enroll"]),
    .executable(name: "mfa-admin", targets: ["mfa-admin"]),
    .executable(name: "mfa-fleet", targets: ["mfa-fleet"]),
  ],
  traits: [
    .trait(
      name: "Embedded",
      description: "Compile the module and the helper as Embedded Swift, as they ship."),
    .trait(
      name: "Fleet",
      description: "Build the relay and the verifier of a fleet, with gRPC."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // Only with the trait Fleet.
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    // The C code that Swift calls. libcrypto, libaudit, libqrencode, libpng and libsystemd are loaded
    // on first use.
    code("CPOSIX"),
    headers("CPAM"),
    headers("CMFA"),
    code("CSecrets"),
    code("CCrypto"),
    code("CDBus"),
    code("CQREncode"),
    code("CPNG"),
    headers("CPQ", pkgConfig: "libpq"),
    headers("CCURL", pkgConfig: "libcurl"),

    // Base
    room("Bytes", .base),
    room("Crypto", .base, uses: ["MFABytes", "MFACCrypto", "MFASecrets"]),
    room("Secrets", .base, uses: ["MFACSecrets"]),
    room("System", .base, uses: ["MFABytes", "MFACPOSIX"]),

    // Pure
    room(
      "Factors", .pure,
      uses: ["MFABytes", "MFAMessages", "MFAOneTimePassword", "MFAPhone", "MFASecrets"]),
    room("Messages", .pure, uses: ["MFABytes"]),
    room("OneTimePassword", .pure, uses: ["MFABytes", "MFASecrets"]),
    room("PAMStack", .pure, uses: ["MFABytes", "MFASystem"]),
    room("OfflineAccess", .pure, uses: ["MFABytes", "MFAFactors", "MFAMessages"]),
    room("Phone", .pure, uses: ["MFASecrets"]),
    room("Policy", .pure, uses: ["MFABytes", "MFAFactors", "MFAMessages", "MFAPhone"]),
    room(
      "Protocol", .pure,
      uses: [
        "MFABytes", "MFAFactors", "MFAMessages", "MFAOneTimePassword", "MFAPhone", "MFASecrets",
      ],
      exclude: ["PROTOCOL.md"]),

    room(
      "RealmImport", .pure, uses: ["MFAFactors", "MFAOneTimePassword", "MFASecrets"]),

    // Core
    room(
      "AuditLog", .core,
      uses: [
        "MFABytes", "MFACrypto", "MFAFactors", "MFASecrets", "MFAStoreFiles", "MFASystem",
      ]),
    room(
      "Authentication", .core,
      uses: [
        "MFAAuditLog", "MFABytes", "MFAConfiguration", "MFACrypto", "MFAFactorStore", "MFAFactors",
        "MFAGateway", "MFAMessages", "MFAOneTimePassword", "MFAPhone", "MFAPolicy", "MFAProtocol",
        "MFASecrets", "MFAStoreFiles", "MFASystem", "MFAVerification",
      ]),
    room(
      "Configuration", .core,
      uses: [
        "MFAAuditLog", "MFABytes", "MFAFactorStore", "MFAFactors", "MFAPolicy", "MFAStoreFiles",
        "MFASystem",
      ]),
    room(
      "FactorStore", .core,
      uses: [
        "MFAAuditLog", "MFABytes", "MFACrypto", "MFAFactors", "MFAOneTimePassword", "MFASecrets",
        "MFAStoreFiles", "MFASystem", "MFAVerification",
      ]),
    room(
      "Gateway", .core,
      uses: [
        "MFABytes", "MFACrypto", "MFAFactors", "MFASecrets", "MFAStoreFiles", "MFASystem",
      ]),
    room("QRCode", .core, uses: ["MFABytes", "MFACQREncode", "MFASecrets"]),
    room(
      "SharedStore", .core,
      uses: [
        "MFAAuditLog", "MFABytes", "MFACrypto", "MFAFactorStore", "MFAFactors",
        "MFAOfflineAccess", "MFAOneTimePassword", "MFASecrets", "MFAStoreFiles", "MFASystem",
        "MFAVerification",
      ]),
    room(
      "StoreFiles", .core,
      uses: ["MFABytes", "MFACrypto", "MFAFactors", "MFASecrets", "MFASystem"]),
    room(
      "Verification", .core, uses: ["MFABytes", "MFACrypto", "MFAOneTimePassword", "MFASecrets"]),
    room("SlowHash", .core, uses: ["MFACCrypto", "MFACrypto", "MFASecrets"]),

    // Flow
    room(
      "Application", .flow,
      uses: ["MFABytes", "MFACMFA", "MFAMessages", "MFASecrets", "MFASystem"]),
    room(
      "FleetProtocol", .flow,
      uses: [
        "MFAApplication", "MFABytes", "MFAConfiguration", "MFAFactors", "MFAPAMStack",
        "MFARealmImport", "MFAResidentProtocol", "MFASecrets", "MFASystem",
      ],
      exclude: ["PROTOCOL.md"]),
    room(
      "ResidentClient", .flow,
      uses: [
        "MFAApplication", "MFABytes", "MFACMFA", "MFAResidentProtocol", "MFASecrets", "MFASystem",
      ]),
    room(
      "ResidentProtocol", .flow, uses: ["MFAApplication", "MFABytes", "MFASecrets", "MFASystem"],
      exclude: ["PROTOCOL.md"]),
    room(
      "SignIn", .flow,
      uses: [
        "MFAApplication", "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFACMFA",
        "MFAConfiguration", "MFACrypto", "MFAFactorStore", "MFAFactors", "MFAGateway",
        "MFAMessages", "MFAOneTimePassword", "MFAPAMStack", "MFAPhone", "MFAPolicy", "MFAProtocol",
        "MFAQRCode", "MFASecrets", "MFASlowHash", "MFAStoreFiles", "MFASystem",
      ]),

    // Services
    room(
      "Helper", .services,
      uses: [
        "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFACPAM", "MFACPOSIX", "MFAConfiguration",
        "MFACrypto", "MFAFactorStore", "MFAFactors", "MFAGateway", "MFAMessages",
        "MFAOneTimePassword", "MFAPhone", "MFAPolicy", "MFAProtocol", "MFAResidentProtocol",
        "MFASecrets", "MFAStoreFiles", "MFASystem",
      ],
      linker: [.linkedLibrary("pam")]),
    .executableTarget(
      name: "mfa-helper",
      dependencies: ["MFACPOSIX", "MFAHelper"],
      path: "Sources/Services/mfa-helper", swiftSettings: Layer.services.settings),

    room(
      "Served", .services,
      uses: [
        "MFAApplication", "MFAAuthentication", "MFABytes", "MFACMFA", "MFAFactors", "MFAHelper",
        "MFAMessages", "MFAProtocol", "MFAResidentProtocol", "MFASecrets", "MFASignIn",
        "MFAStoreFiles", "MFASystem",
      ]),
    room(
      "Resident", .services,
      uses: [
        "MFAApplication", "MFAAuthentication", "MFABytes", "MFACMFA", "MFAConfiguration",
        "MFACrypto", "MFAFactorStore", "MFAFactors", "MFAHelper", "MFAMessages", "MFAPAMStack",
        "MFAPolicy", "MFAProtocol", "MFAResidentProtocol", "MFASecrets", "MFAServed", "MFASignIn",
        "MFAStoreFiles", "MFASystem",
      ]),
    room(
      "GatewayRunner", .services,
      uses: [
        "MFABytes", "MFAConfiguration", "MFAGateway", "MFAPolicy", "MFASecrets", "MFASystem",
      ]),
    .executableTarget(
      name: "mfad",
      dependencies: ["MFABytes", "MFACPOSIX", "MFAGatewayRunner", "MFAResident", "MFASystem"],
      path: "Sources/Services/mfad", swiftSettings: Layer.services.settings),

    // Fleet
    room(
      "OfflineStore", .fleet,
      uses: [
        "MFABytes", "MFACrypto", "MFAMessages", "MFAOfflineAccess", "MFAOneTimePassword",
        "MFASecrets", "MFASlowHash", "MFASystem",
      ]),
    room(
      "PostgreSQL", .fleet,
      uses: ["MFABytes", "MFACPOSIX", "MFACPQ", "MFASharedStore", "MFAStoreFiles"]),
    room(
      "Etcd", .fleet,
      uses: [
        "MFABytes", "MFACCURL", "MFACPOSIX", "MFASharedStore", "MFAStoreFiles",
      ]),
    room(
      "Decision", .fleet,
      uses: [
        "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFACMFA", "MFAConfiguration", "MFACrypto",
        "MFAEtcd", "MFAFactorStore", "MFAFactors", "MFAFleetProtocol", "MFAHelper",
        "MFAOfflineAccess", "MFAOfflineStore", "MFAOneTimePassword", "MFAPolicy", "MFAPostgreSQL",
        "MFARealmImport", "MFAResidentProtocol", "MFASecrets", "MFAServed", "MFASharedStore",
        "MFASignIn",
        "MFASlowHash", "MFAStoreFiles", "MFASystem",
      ]),
    .executableTarget(
      name: "mfa-verifier",
      dependencies: ["MFADecision", "MFAFactors", "MFASystem", argumentParser],
      path: "Sources/Fleet/mfa-verifier", swiftSettings: Layer.fleet.settings),
    room(
      "FleetService", .fleet,
      uses: [
        fleet("GRPCCore", "grpc-swift-2"), fleet("GRPCProtobuf", "grpc-swift-protobuf"),
        fleet("SwiftProtobuf", "swift-protobuf"),
      ],
      exclude: ["fleet.proto", "offline.proto", "Generated/generate"]),
    room(
      "FleetTransport", .fleet,
      uses: [
        "MFABytes", "MFAPolicy", "MFAResidentProtocol", "MFASecrets", "MFASystem",
        fleet("GRPCCore", "grpc-swift-2"),
        fleet("GRPCNIOTransportHTTP2Posix", "grpc-swift-nio-transport"),
        fleet("NIOCertificateReloading", "swift-nio-extras"), fleet("NIOCore", "swift-nio"),
        fleet("NIOSSL", "swift-nio-ssl"), fleet("NIOTLS", "swift-nio"),
      ]),
    room(
      "FleetMetrics", .fleet,
      uses: [
        "MFAFleetTransport", fleet("Metrics", "swift-metrics"), fleet("NIOCore", "swift-nio"),
        fleet("NIOHTTP1", "swift-nio"), fleet("NIOPosix", "swift-nio"),
      ]),
    room(
      "FleetCertificates", .fleet,
      uses: [
        "MFAFleetProtocol", "MFAFleetTransport", "MFASystem", fleet("Crypto", "swift-crypto"),
        fleet("SwiftASN1", "swift-asn1"), fleet("X509", "swift-certificates"),
      ]),
    room(
      "Relay", .fleet,
      uses: [
        "MFABytes", "MFACDBus", "MFACrypto", "MFAFactors", "MFAFleetCertificates",
        "MFAFleetMetrics", "MFAFleetProtocol", "MFAFleetService", "MFAFleetTransport",
        "MFAMessages", "MFAOfflineAccess", "MFAOfflineStore", "MFAOneTimePassword", "MFAPolicy",
        "MFAResidentProtocol", "MFASecrets", "MFASystem", fleet("Metrics", "swift-metrics"),
        fleet("GRPCCore", "grpc-swift-2"),
        fleet("GRPCNIOTransportHTTP2Posix", "grpc-swift-nio-transport"),
        fleet("NIOCore", "swift-nio"), fleet("NIOPosix", "swift-nio"),
        fleet("NIOSSL", "swift-nio-ssl"), fleet("SwiftProtobuf", "swift-protobuf"),
        fleet("X509", "swift-certificates"),
      ]),
    room(
      "VerifierFront", .fleet,
      uses: [
        "MFAFleetCertificates", "MFAFleetMetrics", "MFAFleetProtocol", "MFAFleetService",
        "MFAFleetTransport", "MFAResidentProtocol", "MFASecrets", "MFASystem",
        fleet("GRPCCore", "grpc-swift-2"),
        fleet("GRPCNIOTransportHTTP2Posix", "grpc-swift-nio-transport"),
        fleet("Metrics", "swift-metrics"), fleet("NIOCore", "swift-nio"),
        fleet("NIOSSL", "swift-nio-ssl"),
        fleet("SwiftProtobuf", "swift-protobuf"), fleet("X509", "swift-certificates"),
      ]),
    .executableTarget(
      name: "mfa-fleet",
      dependencies: [
        argumentParser, "MFABytes", "MFACPOSIX", "MFAFactors", "MFAFleetCertificates",
        "MFAFleetTransport", "MFARelay", "MFASecrets", "MFASystem", "MFAVerifierFront",
      ],
      path: "Sources/Fleet/mfa-fleet", swiftSettings: Layer.fleet.settings,
      // BoringSSL is C++.
      linkerSettings: [.linkedLibrary("stdc++", .when(traits: ["Fleet"]))]),

    // Clients
    room(
      "Import", .clients,
      uses: [
        "MFABytes", "MFACrypto", "MFAFactors", "MFAOneTimePassword", "MFASecrets",
        "MFAVerification",
      ]),
    .target(
      name: "MultiFactor",
      dependencies: [
        "MFABytes", "MFACDBus", "MFAFactors", "MFAMessages", "MFAOneTimePassword", "MFAPhone",
        "MFAProtocol", "MFASecrets", "MFASystem",
      ],
      path: "Sources/Clients/MultiFactor", swiftSettings: Layer.clients.settings),
    .target(
      name: "MultiFactorQR", dependencies: ["MFAQRCode", "MFAQRImage", "MFASecrets"],
      path: "Sources/Clients/MultiFactorQR", swiftSettings: Layer.clients.settings),
    room("QRImage", .clients, uses: ["MFACPNG", "MFAQRCode", "MFASecrets"]),

    // Tools
    room(
      "AdminCore", .tools,
      uses: [
        "MFAAdminOutput", "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFACPOSIX",
        "MFAConfiguration", "MFACrypto", "MFAFactorStore", "MFAFactors", "MFAFleetProtocol",
        "MFAGateway", "MFAImport", "MFAOneTimePassword", "MFAPAMStack", "MFAPhone", "MFAPolicy",
        "MFARealmImport", "MFAResidentProtocol", "MFASecrets", "MFASlowHash", "MFAStoreFiles",
        "MFASystem",
      ]),
    room(
      "AdminOutput", .tools,
      uses: ["MFABytes", "MFACPOSIX", "MFAFactors", "MFASecrets", "MFASystem"]),
    room("StackEffect", .tools, uses: ["MFABytes", "MFAPAMStack"]),
    room("Sudoers", .tools, uses: ["MFAAdminOutput"]),
    room(
      "Doctor", .tools,
      uses: [
        "MFAAdminCore", "MFAAdminOutput", "MFAAuthentication", "MFABytes", "MFACPOSIX",
        "MFAConfiguration", "MFAFactors", "MFAFleetProtocol", "MFAPAMStack", "MFAPolicy",
        "MFAResidentProtocol", "MFASecrets", "MFAStackEffect", "MFAStoreFiles", "MFASudoers",
        "MFASystem",
      ]),
    room(
      "Explain", .tools,
      uses: [
        "MFAAdminCore", "MFAAdminOutput", "MFAApplication", "MFAAuthentication", "MFABytes",
        "MFAConfiguration", "MFADoctor", "MFAFactorStore", "MFAFactors", "MFAGateway",
        "MFAPAMStack", "MFAPolicy", "MFASecrets", "MFASignIn", "MFAStackEffect", "MFAStoreFiles",
        "MFASystem",
      ]),
    room(
      "Report", .tools,
      uses: [
        "MFAAdminCore", "MFAAdminOutput", "MFAAuthentication", "MFACrypto", "MFADoctor",
        "MFAFactorStore", "MFAFactors", "MFAPolicy",
      ]),
    room(
      "Trial", .tools,
      uses: [
        "MFAAdminCore", "MFAAdminOutput", "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFACPAM",
        "MFACPOSIX", "MFACrypto", "MFAFactorStore", "MFAFactors", "MFAOneTimePassword",
        "MFASecrets",
        "MFAStoreFiles", "MFASystem", "MFAVerification",
      ],
      linker: [.linkedLibrary("pam"), .linkedLibrary("crypt")]),
    room(
      "ServiceSwitch", .tools,
      uses: [
        "MFAAdminCore", "MFAAdminOutput", "MFAAuditLog", "MFABytes", "MFACPOSIX",
        "MFAConfiguration", "MFADoctor", "MFAFactors", "MFAPAMStack", "MFAStackEffect",
        "MFAStoreFiles", "MFASystem", "MFATrial",
      ]),
    .executableTarget(
      name: "mfa-admin",
      dependencies: [
        "MFAAdminCore", "MFAAdminOutput", "MFAAuditLog", "MFAAuthentication", "MFABytes",
        "MFAConfiguration", "MFADoctor", "MFAExplain", "MFAFactorStore", "MFAFactors", "MFAGateway",
        "MFAImport",
        "MFAPAMStack", "MFAPolicy", "MFARealmImport", "MFAReport", "MFASecrets", "MFAServiceSwitch",
        "MFAStoreFiles", "MFASystem", "MFATrial",
        argumentParser,
      ],
      path: "Sources/Tools/mfa-admin", swiftSettings: Layer.tools.settings),
    room("EnrollMessages", .tools, uses: ["MFAMessages"]),
    .executableTarget(
      name: "mfa-enroll",
      dependencies: [
        "MFABytes", "MFAEnrollMessages", "MFAFactors", "MFAImport", "MFAMessages", "MFAQRCode",
        "MFAQRImage", "MFASecrets", "MFASystem", "MultiFactor",
        argumentParser,
      ],
      path: "Sources/Tools/mfa-enroll", swiftSettings: Layer.tools.settings),

    // Tests.
    code("CTestSupport", path: "Tests/Support/CTestSupport"),
    .target(
      name: "MFATestSupport", dependencies: ["MFACTestSupport"], path: "Tests/Support",
      exclude: [
        "Admin", "CTestSupport", "Etcd", "PostgreSQL", "Resident", "SharedStore",
        "SignIn",
        "booted-machine.sh", "pam-client", "stand-in", "thread-sanitizer.suppressions",
      ],
      swiftSettings: everywhere),
    .target(
      name: "MFASignInTestSupport",
      dependencies: [
        "MFAApplication", "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFAConfiguration",
        "MFACrypto", "MFAFactorStore", "MFAFactors", "MFAGateway", "MFAOneTimePassword",
        "MFAPAMStack", "MFAPhone", "MFAPolicy", "MFAProtocol", "MFASecrets", "MFASignIn",
        "MFAStoreFiles", "MFASystem", "MFAVerification",
      ],
      path: "Tests/Support/SignIn", swiftSettings: everywhere),
    .target(
      name: "MFASharedStoreTestSupport",
      dependencies: [
        "MFAAuditLog", "MFAAuthentication", "MFACrypto", "MFAFactorStore", "MFAFactors",
        "MFAOneTimePassword", "MFAPolicy", "MFASharedStore", "MFASignInTestSupport",
        "MFAStoreFiles", "MFASystem",
      ],
      path: "Tests/Support/SharedStore", swiftSettings: everywhere),
    .target(
      name: "MFAResidentTestSupport",
      dependencies: [
        "MFAApplication", "MFABytes", "MFAResidentProtocol", "MFASecrets", "MFASystem",
      ],
      path: "Tests/Support/Resident", swiftSettings: everywhere),
    .target(
      name: "MFAAdminTestSupport",
      dependencies: [
        "MFAAdminCore", "MFABytes", "MFAConfiguration", "MFADoctor", "MFAFactorStore",
        "MFAFactors", "MFAOneTimePassword", "MFAPAMStack", "MFAPolicy", "MFAStoreFiles",
        "MFASystem",
      ],
      path: "Tests/Support/Admin", swiftSettings: everywhere),
    .target(
      name: "MFAPostgreSQLTestSupport",
      dependencies: ["MFAPostgreSQL", "MFASharedStore", "MFATestSupport"],
      path: "Tests/Support/PostgreSQL", swiftSettings: everywhere),
    .target(
      name: "MFAEtcdTestSupport", dependencies: ["MFAEtcd", "MFATestSupport"],
      path: "Tests/Support/Etcd", swiftSettings: everywhere),
    code("CSecretsTesting", path: "Tests/Secrets/CSecretsTesting"),
    tests(
      "SignIn", in: "SignIn",
      uses: [
        "MFAApplication", "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFAConfiguration",
        "MFACrypto",
        "MFAFactorStore", "MFAFactors", "MFAGateway", "MFAMessages", "MFAOneTimePassword",
        "MFAPAMStack", "MFAPolicy", "MFAProtocol", "MFASecrets", "MFASignIn",
        "MFASignInTestSupport", "MFASlowHash", "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ]),
    tests(
      "FactorStore", in: "FactorStore",
      uses: [
        "MFAAuditLog", "MFABytes", "MFACrypto", "MFAFactorStore", "MFAFactors",
        "MFAOneTimePassword", "MFASecrets", "MFASharedStoreTestSupport", "MFAStoreFiles",
        "MFASystem", "MFATestSupport",
      ]),
    tests(
      "SharedStore", in: "SharedStore",
      uses: [
        "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFACrypto", "MFAFactorStore", "MFAFactors",
        "MFAOfflineAccess", "MFAOneTimePassword", "MFAPolicy", "MFASharedStore",
        "MFASharedStoreTestSupport",
        "MFASecrets", "MFASignInTestSupport", "MFAStoreFiles", "MFASystem",
      ]),
    tests(
      "Helper", in: "Helper",
      uses: [
        "MFAApplication", "MFAAuditLog", "MFABytes", "MFAFactorStore", "MFAFactors", "MFAGateway",
        "MFAHelper", "MFAMessages", "MFAOneTimePassword", "MFAPhone", "MFAPolicy", "MFAProtocol",
        "MFAResidentTestSupport", "MFASecrets", "MFASignIn", "MFASignInTestSupport", "MFASystem",
        "MFATestSupport",
      ]),
    tests(
      "Configuration", in: "Configuration",
      uses: ["MFABytes", "MFAConfiguration", "MFAPolicy", "MFASystem", "MFATestSupport"]),
    tests(
      "Gateway", in: "Gateway",
      uses: [
        "MFABytes", "MFACrypto", "MFAFactors", "MFAGateway", "MFAGatewayRunner", "MFASecrets",
        "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ]),
    tests("System", in: "System", uses: ["MFACTestSupport", "MFASystem", "MFATestSupport"]),
    tests(
      "Fleet", in: "Fleet",
      uses: [
        "MFAFleetMetrics", "MFAFleetTransport", "MFARelay", "MFASystem", "MFAVerifierFront",
      ],
      exclude: ["decisions.py", "import", "offline.py", "outage", "run", "stage.py"]),
    tests(
      "FleetProtocol", in: "FleetProtocol",
      uses: [
        "MFAApplication", "MFABytes", "MFAConfiguration", "MFAFactors", "MFAFleetProtocol",
        "MFAPAMStack", "MFARealmImport", "MFAResidentProtocol", "MFASecrets", "MFASystem",
      ]),
    tests(
      "ResidentProtocol", in: "ResidentProtocol",
      uses: [
        "MFAApplication", "MFABytes", "MFAResidentProtocol", "MFAResidentTestSupport", "MFASecrets",
      ]),
    tests(
      "ResidentClient", in: "ResidentClient",
      uses: [
        "MFAApplication", "MFABytes", "MFACMFA", "MFAMessages", "MFAResidentClient",
        "MFAResidentProtocol", "MFAResidentTestSupport", "MFASecrets", "MFASystem",
      ]),
    tests(
      "Resident", in: "Resident",
      uses: [
        "MFAApplication", "MFABytes", "MFACTestSupport", "MFAFactorStore", "MFAFactors",
        "MFAMessages", "MFAResident", "MFAResidentProtocol", "MFAResidentTestSupport", "MFASecrets",
        "MFAServed", "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ]),
    tests(
      "Decision", in: "Decision",
      uses: [
        "MFAApplication", "MFAAuditLog", "MFAAuthentication", "MFABytes", "MFACTestSupport",
        "MFAConfiguration",
        "MFAFactors", "MFAFleetProtocol", "MFAHelper", "MFAOfflineAccess", "MFAOneTimePassword",
        "MFAPAMStack", "MFARealmImport", "MFAResidentProtocol",
        "MFASecrets", "MFAServed", "MFASharedStore", "MFASharedStoreTestSupport",
        "MFASignIn", "MFASignInTestSupport", "MFAStoreFiles", "MFASystem", "MFATestSupport",
        "MFADecision",
      ]),
    // Simulates many hosts of a fleet; see Tests/Load/run.
    .executableTarget(
      name: "mfa-fleet-load",
      dependencies: [
        argumentParser, "MFAApplication", "MFAAuditLog", "MFABytes", "MFAConfiguration",
        "MFACrypto", "MFAFactorStore", "MFAFactors", "MFAFleetCertificates", "MFAFleetProtocol",
        "MFAFleetService", "MFAFleetTransport", "MFAOneTimePassword", "MFAPAMStack",
        "MFAPostgreSQL", "MFARelay", "MFAResidentProtocol", "MFASecrets", "MFASharedStore",
        "MFASignInTestSupport", "MFAStoreFiles", "MFASystem",
        fleet("SwiftProtobuf", "swift-protobuf"),
      ],
      path: "Tests/Load", exclude: ["run"], swiftSettings: everywhere,
      linkerSettings: [.linkedLibrary("stdc++", .when(traits: ["Fleet"]))]),
    tests("Faults", in: "Faults", uses: ["MFATestSupport"]),
    tests("Differential", in: "Differential", uses: ["MFATestSupport"]),
    tests(
      "EndToEnd", in: "EndToEnd",
      uses: [
        "MFAEnrollMessages", "MFAFactorStore", "MFAFactors", "MFAGateway", "MFAMessages",
        "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ],
      exclude: ["Screens", "at-modem.py", "modem.py"]),
    tests(
      "Secrets", in: "Secrets",
      uses: [
        "MFABytes", "MFACSecretsTesting", "MFACrypto", "MFASecrets", "MFATestSupport",
        "mfa-loading-probe",
      ],
      exclude: ["CSecretsTesting", "LoadingProbe"]),
    .executableTarget(
      name: "mfa-loading-probe",
      dependencies: ["MFABytes", "MFACSecretsTesting", "MFACrypto", "MFASecrets"],
      path: "Tests/Secrets/LoadingProbe", swiftSettings: everywhere),
    tests(
      "OneTimePassword", in: "OneTimePassword",
      uses: [
        "MFAAuthentication", "MFABytes", "MFACrypto", "MFAOneTimePassword", "MFASecrets",
        "MFATestSupport", "MFAVerification",
      ]),
    tests(
      "Factors", in: "Factors",
      uses: [
        "MFABytes", "MFACrypto", "MFAFactors", "MFAMessages", "MFAOneTimePassword", "MFAPhone",
        "MFASecrets", "MFATestSupport", "MFAVerification",
      ]),
    tests(
      "Policy", in: "Policy", uses: ["MFABytes", "MFAFactors", "MFAMessages", "MFAPolicy"]),
    tests("Messages", in: "Messages", uses: ["MFABytes", "MFACPOSIX", "MFAMessages"]),
    tests(
      "OfflineAccess", in: "OfflineAccess",
      uses: ["MFABytes", "MFAMessages", "MFAOfflineAccess"]),
    tests(
      "RealmImport", in: "RealmImport",
      uses: ["MFAFactors", "MFAOneTimePassword", "MFARealmImport", "MFASecrets"]),
    tests("Phone", in: "Phone", uses: ["MFAPhone", "MFATestSupport"]),
    tests("PAMStack", in: "PAMStack", uses: ["MFAPAMStack", "MFASystem", "MFATestSupport"]),
    tests(
      "Protocol", in: "HelperProtocol",
      uses: [
        "MFABytes", "MFAFactors", "MFAOneTimePassword", "MFAPhone", "MFAProtocol", "MFASecrets",
      ]),
    tests(
      "MultiFactor", in: "MultiFactor",
      uses: [
        "MFABytes", "MFACTestSupport", "MFAFactors", "MFAOneTimePassword", "MFAPhone",
        "MFAProtocol", "MFASecrets", "MFATestSupport", "MultiFactor",
      ],
      exclude: ["app.py"]),
    tests(
      "EnrollTool", in: "mfa-enroll",
      uses: [
        "MFABytes", "MFAEnrollMessages", "MFAFactors", "MFAMessages", "MFAOneTimePassword",
        "MFAPhone", "MFAProtocol", "MFAQRCode", "MFASecrets", "MultiFactor", "mfa-enroll",
      ]),
    tests("QRCode", in: "QRCode", uses: ["MFABytes", "MFAQRCode", "MFASecrets", "MFATestSupport"]),
    tests(
      "Import", in: "Import",
      uses: [
        "MFABytes", "MFAImport", "MFAOneTimePassword", "MFASecrets", "MFATestSupport",
        "MFAVerification",
      ]),
    tests(
      "QRImage", in: "QRImage",
      uses: [
        "MFABytes", "MFAQRCode", "MFAQRImage", "MFASecrets", "MFATestSupport", "MultiFactorQR",
      ]),
    tests(
      "AdminOutput", in: "AdminOutput",
      uses: ["MFAAdminOutput"]),
    tests(
      "AdminCore", in: "AdminCore",
      uses: [
        "MFAAdminCore", "MFAAdminOutput", "MFAAdminTestSupport", "MFAAuditLog", "MFAAuthentication",
        "MFABytes", "MFAConfiguration", "MFAFactorStore", "MFAFactors", "MFAFleetProtocol",
        "MFAGateway", "MFAImport", "MFAOneTimePassword", "MFAPhone", "MFAPolicy", "MFARealmImport",
        "MFASecrets", "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ]),
    tests(
      "StackEffect", in: "StackEffect",
      uses: ["MFAPAMStack", "MFAStackEffect", "MFASystem", "MFATestSupport"]),
    tests(
      "Sudoers", in: "Sudoers",
      uses: ["MFAAdminOutput", "MFASudoers", "MFATestSupport"]),
    tests(
      "Doctor", in: "Doctor",
      uses: [
        "MFAAdminCore", "MFAAdminOutput", "MFAAdminTestSupport", "MFABytes", "MFAConfiguration",
        "MFADoctor", "MFAFleetProtocol", "MFAPAMStack", "MFAPolicy", "MFAStoreFiles", "MFASystem",
        "MFATestSupport",
      ]),
    tests(
      "Explain", in: "Explain",
      uses: [
        "MFAApplication", "MFAAdminCore", "MFAAdminOutput", "MFAAdminTestSupport", "MFABytes",
        "MFAConfiguration", "MFADoctor", "MFAExplain", "MFAFactorStore", "MFAFactors",
        "MFAOneTimePassword", "MFAPAMStack", "MFAPolicy", "MFASignIn", "MFASignInTestSupport",
        "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ]),
    tests(
      "Report", in: "Report",
      uses: [
        "MFAAdminCore", "MFAAdminTestSupport", "MFAAuditLog", "MFABytes", "MFADoctor",
        "MFAFactorStore", "MFAFactors", "MFAOneTimePassword", "MFAPolicy", "MFAReport",
        "MFATestSupport",
      ]),
    tests(
      "ServiceSwitch", in: "ServiceSwitch",
      uses: [
        "MFAAdminOutput", "MFAAdminTestSupport", "MFAConfiguration", "MFADoctor", "MFAPAMStack",
        "MFAServiceSwitch", "MFASystem", "MFATestSupport",
      ]),
    tests(
      "PostgreSQL", in: "PostgreSQL",
      uses: [
        "MFAAuditLog", "MFAAuthentication", "MFAFactors", "MFAPolicy", "MFAPostgreSQL",
        "MFAPostgreSQLTestSupport", "MFASharedStore", "MFASharedStoreTestSupport",
        "MFASignInTestSupport", "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ]),
    tests(
      "Etcd", in: "Etcd",
      uses: [
        "MFAEtcd", "MFAEtcdTestSupport", "MFASharedStore", "MFASharedStoreTestSupport",
        "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ],
      exclude: ["server.py"]),
    tests("Trial", in: "Trial", uses: ["MFATrial"]),
    tests(
      "AdminTool", in: "mfa-admin",
      uses: [
        "MFAAdminTestSupport", "MFAAuditLog", "MFAFactorStore", "MFAFactors", "MFAOneTimePassword",
        "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ]),
    tests(
      "FuzzReplay", in: "Fuzz",
      uses: [
        "MFAApplication", "MFAAdminCore", "MFAAdminOutput", "MFAAuditLog", "MFAAuthentication",
        "MFABytes",
        "MFAConfiguration", "MFACrypto", "MFADoctor", "MFAFactorStore", "MFAFactors", "MFAGateway",
        "MFAImport",
        "MFAOneTimePassword", "MFAPAMStack", "MFAPhone", "MFAPolicy", "MFAProtocol",
        "MFAResidentProtocol", "MFAResidentTestSupport", "MFASecrets", "MFAServiceSwitch",
        "MFASignIn", "MFAStackEffect", "MFAStoreFiles", "MFASystem", "MFATestSupport",
      ],
      exclude: ["Regressions", "Seeds", "run"]),
  ],
  swiftLanguageModes: [.v6]
)

// The names of targets, separated by spaces: only they and what they use are compiled. The tests with
// ThreadSanitizer concern a part of the targets (packaging/test).
if let names = Context.environment["MFA_TARGETS"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var waiting = names.split(separator: " ").map(String.init)
  var used: Set<String> = []
  while let name = waiting.popLast() {
    guard let target = targets[name], used.insert(name).inserted else { continue }
    for case .byNameItem(let dependency, _) in target.dependencies { waiting.append(dependency) }
  }
  package.targets.removeAll { !used.contains($0.name) }
  package.products = []
}
