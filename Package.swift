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
/// the imports. The layer Build has programs that run during a build and are part of no other one.
enum Layer: String {
  case build = "Build"
  case c = "C"
  case base = "Base"
  case model = "Model"
  case wire = "Wire"
  case module = "Module"
  case core = "Core"
  case signIn = "SignIn"
  case service = "Service"
  case clients = "Clients"
  case realm = "Realm"
  case tools = "Tools"

  /// Whether Swift targets of this layer can be part of the module or the helper, and therefore
  /// have to compile as Embedded Swift.
  var isEmbeddable: Bool {
    switch self {
    case .base, .model, .wire, .module, .core, .signIn, .service: true
    case .build, .c, .clients, .realm, .tools: false
    }
  }

  var settings: [SwiftSetting] { isEmbeddable ? embeddable : everywhere }
}

/// Returns dependencies on targets of this package, named without the prefix MFA.
func ours(_ names: String) -> [Target.Dependency] {
  names.split(separator: " ").map { name in
    .byName(name: name.hasPrefix("MultiFactor") ? String(name) : "MFA" + name)
  }
}

/// Returns the target in the folder `name` of a layer, named with the prefix MFA, with the names of the
/// targets that it uses. Target names must be unique among all packages of a program, so all targets
/// except those of products have the prefix.
func room(
  _ name: String, _ layer: Layer, uses names: String, _ others: [Target.Dependency] = [],
  exclude: [String] = [], linker: [LinkerSetting] = [], plugins: [Target.PluginUsage] = []
) -> Target {
  .target(
    name: name.hasPrefix("MultiFactor") ? name : "MFA" + name, dependencies: ours(names) + others,
    path: "Sources/\(layer.rawValue)/\(name)", exclude: exclude, swiftSettings: layer.settings,
    linkerSettings: linker, plugins: plugins)
}

/// Returns the program in the folder `name` of a layer.
func program(
  _ name: String, _ layer: Layer, uses names: String, _ others: [Target.Dependency] = [],
  linker: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: ours(names) + others, path: "Sources/\(layer.rawValue)/\(name)",
    swiftSettings: layer.settings, linkerSettings: linker)
}

/// Returns a target with the headers of a C library or of the system.
func headers(_ name: String, pkgConfig: String? = nil) -> Target {
  .systemLibrary(name: "MFA" + name, path: "Sources/C/" + name, pkgConfig: pkgConfig)
}

/// Returns a target of C code.
func code(_ name: String, path: String? = nil) -> Target {
  .target(name: "MFA" + name, path: path ?? "Sources/C/" + name, cSettings: reviewed)
}

/// Returns what several test targets use, in the folder `folder` of Tests/Support.
func support(_ name: String, in folder: String, uses names: String) -> Target {
  .target(
    name: "MFA\(name)TestSupport", dependencies: ours(names), path: "Tests/Support/" + folder,
    swiftSettings: everywhere)
}

/// Returns the tests in a folder of Tests, by default the one with the same name.
func tests(
  _ name: String, in folder: String? = nil, uses names: String,
  _ others: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .testTarget(
    name: "MFA\(name)Tests", dependencies: ours(names) + others,
    path: "Tests/" + (folder ?? name), exclude: exclude, swiftSettings: everywhere)
}

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")

/// Returns libraries that only the programs of a realm need. Without the trait Fleet, their packages are
/// not fetched.
func fleet(_ names: String, _ package: String) -> [Target.Dependency] {
  names.split(separator: " ").map { name in
    .product(name: String(name), package: package, condition: .when(traits: ["Fleet"]))
  }
}

/// The libraries of the two network ends.
let network =
  fleet("GRPCCore", "grpc-swift-2")
  + fleet("GRPCNIOTransportHTTP2Posix", "grpc-swift-nio-transport")
  + fleet("NIOCore NIOPosix", "swift-nio") + fleet("NIOSSL", "swift-nio-ssl")
  + fleet("X509", "swift-certificates")

/// BoringSSL is C++.
let cxx = LinkerSetting.linkedLibrary("stdc++", .when(traits: ["Fleet"]))

let package = Package(
  name: "mfa",
  products: [
    .library(name: "mfa", type: .static, targets: ["MFAModule"]),
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
      description: "Build the relay and the verifier of a realm, with gRPC."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // Only with the trait Fleet.
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
  ],
  targets: [
    // Compiles the texts in packaging/po.
    .executableTarget(
      name: "MFACatalogueCompiler", path: "Sources/Build/CatalogueCompiler",
      swiftSettings: Layer.build.settings),
    .plugin(
      name: "MFACatalogueCompilerPlugin", capability: .buildTool(),
      dependencies: ["MFACatalogueCompiler"], path: "Sources/Build/CatalogueCompilerPlugin"),

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

    room("Base", .base, uses: "CPOSIX CSecrets"),
    room("Crypto", .base, uses: "Base CCrypto"),

    room("Messages", .model, uses: "Base", plugins: ["MFACatalogueCompilerPlugin"]),
    room("Model", .model, uses: "Base Messages"),
    room("PAMStack", .model, uses: "Base"),
    room("QRCode", .model, uses: "Base CQREncode"),

    room("Wire", .wire, uses: "Base Messages Model", exclude: ["HELPER.md", "SERVICE.md"]),

    room("Module", .module, uses: "Base CMFA Wire"),

    room("Store", .core, uses: "Base Crypto Model"),
    room("Attempt", .core, uses: "Base CCrypto Crypto Messages Model Store Wire"),

    room(
      "SignIn", .signIn,
      uses: "Attempt Base CMFA Crypto Messages Model PAMStack QRCode Store Wire"),

    room(
      "Decider", .service,
      uses: "Attempt Base CMFA CPAM CPOSIX Crypto Messages Model PAMStack SignIn Store Wire",
      linker: [.linkedLibrary("pam")]),
    room("Gateways", .service, uses: "Attempt Base Model"),
    program("mfa-helper", .service, uses: "CPOSIX Decider"),
    program("mfad", .service, uses: "Base CPOSIX Decider Gateways"),

    room("Import", .clients, uses: "Base Crypto Model Store"),
    room("MultiFactor", .clients, uses: "Base CDBus Messages Model Wire"),
    room("MultiFactorQR", .clients, uses: "Base CPNG QRCode"),

    room(
      "Realm", .realm, uses: "Attempt Base Crypto Messages Model PAMStack Wire",
      exclude: ["PROTOCOL.md"]),
    room("RealmStore", .realm, uses: "Base CCURL CPOSIX CPQ Crypto Model Realm Store Wire"),
    room(
      "Verifier", .realm,
      uses: "Attempt Base CMFA Crypto Decider Model Realm RealmStore SignIn Store Wire"),
    program("mfa-verifier", .realm, uses: "Base Model Realm Verifier", [argumentParser]),
    room(
      "RealmTransport", .realm, uses: "Base Model Realm Wire",
      network + fleet("NIOHTTP1 NIOTLS", "swift-nio")
        + fleet("NIOCertificateReloading", "swift-nio-extras") + fleet("Crypto", "swift-crypto")
        + fleet("SwiftASN1", "swift-asn1")),
    room(
      "Relay", .realm, uses: "Base CDBus CMFA Crypto Messages Model Realm RealmTransport Wire",
      network),
    room("Front", .realm, uses: "Base Realm RealmTransport Wire", network),
    program(
      "mfa-fleet", .realm, uses: "Base CPOSIX Front Model Realm RealmTransport Relay Wire",
      [argumentParser], linker: [cxx]),

    room(
      "Admin", .tools,
      uses: "Attempt Base CPOSIX Crypto Import Model PAMStack Realm Store Wire"),
    room(
      "Doctor", .tools,
      uses: "Admin Attempt Base CPOSIX Crypto Messages Model PAMStack Realm SignIn Store Wire"),
    room(
      "Services", .tools, uses: "Admin Attempt Base CPAM CPOSIX Crypto Doctor Model PAMStack Store",
      linker: [.linkedLibrary("pam"), .linkedLibrary("crypt")]),
    program(
      "mfa-admin", .tools,
      uses: "Admin Attempt Base Doctor Import Model PAMStack Realm Services Store",
      [argumentParser]),
    room(
      "EnrollMessages", .tools, uses: "Messages", plugins: ["MFACatalogueCompilerPlugin"]),
    program(
      "mfa-enroll", .tools,
      uses: "Base EnrollMessages Import Messages Model MultiFactor MultiFactorQR PAMStack QRCode",
      [argumentParser]),

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
    support(
      "SignIn", in: "SignIn",
      uses: "Attempt Base Crypto Messages Model Module PAMStack SignIn Store Wire"),
    support(
      "SharedStore", in: "SharedStore",
      uses: "Attempt Base Crypto Model RealmStore SignInTestSupport Store"),
    support("Resident", in: "Resident", uses: "Base Wire"),
    support(
      "Admin", in: "Admin", uses: "Admin Attempt Base Doctor Model PAMStack Store Wire"),
    support("PostgreSQL", in: "PostgreSQL", uses: "RealmStore Store TestSupport"),
    support("Etcd", in: "Etcd", uses: "RealmStore TestSupport"),
    code("CSecretsTesting", path: "Tests/Base/CSecretsTesting"),
    .executableTarget(
      name: "mfa-loading-probe", dependencies: ours("Base CSecretsTesting Crypto"),
      path: "Tests/Base/LoadingProbe", swiftSettings: everywhere),
    // Simulates many hosts of a realm; see Tests/Load/run.
    .executableTarget(
      name: "mfa-fleet-load",
      dependencies: ours(
        "Attempt Base Crypto Model PAMStack Realm RealmStore RealmTransport Relay SignInTestSupport"
          + " Store Wire") + [argumentParser],
      path: "Tests/Load", exclude: ["run"], swiftSettings: everywhere, linkerSettings: [cxx]),
    tests(
      "Admin",
      uses: "Admin AdminTestSupport Attempt Base Import Model Realm Store TestSupport Wire"),
    tests("Attempt", uses: "Attempt Base Model Store TestSupport"),
    tests(
      "Base", uses: "Base CSecretsTesting CTestSupport Crypto TestSupport", ["mfa-loading-probe"],
      exclude: ["CSecretsTesting", "LoadingProbe"]),
    tests(
      "Decider",
      uses:
        "Attempt Base CTestSupport Decider Messages Model ResidentTestSupport SignIn "
        + "SignInTestSupport Store TestSupport Wire"
    ),
    tests("Differential", uses: "TestSupport"),
    tests(
      "Doctor",
      uses:
        "Admin AdminTestSupport Attempt Base Doctor Model PAMStack Realm SignIn "
        + "SignInTestSupport Store TestSupport Wire"
    ),
    tests(
      "EndToEnd", uses: "Attempt Base EnrollMessages Messages Model Store TestSupport Wire",
      exclude: ["Screens", "at-modem.py", "modem.py"]),
    tests("Faults", uses: "TestSupport"),
    tests(
      "Fleet", uses: "Base Front Realm RealmTransport Relay",
      exclude: ["decisions.py", "import", "offline.py", "outage", "run", "stage.py"]),
    tests(
      "FuzzReplay", in: "Fuzz",
      uses:
        "Admin Attempt Base Crypto Doctor Import Model PAMStack ResidentTestSupport "
        + "Services SignIn Store TestSupport Wire",
      exclude: ["Regressions", "Seeds", "run"]),
    tests("Import", uses: "Base Import Model Store TestSupport"),
    tests("CatalogueCompiler", uses: "CatalogueCompiler"),
    tests("Messages", uses: "Base CTestSupport EnrollMessages Messages"),
    tests("Model", uses: "Attempt Base Crypto Messages Model Store TestSupport"),
    tests("Module", uses: "Base CMFA Messages Module ResidentTestSupport TestSupport Wire"),
    tests(
      "MultiFactor", uses: "Base CTestSupport Model MultiFactor TestSupport Wire",
      exclude: ["app.py"]),
    tests("PAMStack", uses: "Base PAMStack TestSupport"),
    tests("QRCode", uses: "Base MultiFactorQR QRCode TestSupport"),
    tests(
      "RealmPackets", uses: "Attempt Base Messages Model PAMStack Realm ResidentTestSupport Wire"),
    tests(
      "RealmStore",
      uses:
        "Attempt Base Crypto EtcdTestSupport Model PostgreSQLTestSupport Realm "
        + "RealmStore SharedStoreTestSupport SignInTestSupport Store TestSupport",
      exclude: ["server.py"]),
    tests(
      "Services", uses: "Admin AdminTestSupport Attempt Base Doctor PAMStack Services TestSupport"),
    tests(
      "SignIn",
      uses:
        "Attempt Base Crypto Messages Model PAMStack SignIn SignInTestSupport Store "
        + "TestSupport Wire"
    ),
    tests("Store", uses: "Base Crypto Model SharedStoreTestSupport Store TestSupport"),
    tests(
      "Verifier",
      uses:
        "Attempt Base CTestSupport Decider Model PAMStack Realm RealmStore "
        + "SharedStoreTestSupport SignIn SignInTestSupport Store TestSupport Verifier "
        + "Wire"
    ),
    tests("Wire", uses: "Base Model ResidentTestSupport Wire"),
    tests("AdminTool", in: "mfa-admin", uses: "AdminTestSupport Base Model Store TestSupport"),
    tests(
      "EnrollTool", in: "mfa-enroll",
      uses: "Base EnrollMessages Messages Model MultiFactor PAMStack QRCode TestSupport Wire",
      ["mfa-enroll"]),
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
    for case .plugin(let plugin, _) in target.plugins ?? [] { waiting.append(plugin) }
  }
  package.targets.removeAll { !used.contains($0.name) }
  package.products = []
}
