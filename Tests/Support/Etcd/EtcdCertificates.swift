import MFATestSupport

/// An authority of a test with the certificates of etcd's members and of their clients, in a folder.
struct EtcdCertificates {
  private let folder: String

  /// Creates an authority, and a certificate for the addresses and for clients.
  init(in folder: String, addresses: [String]) throws(HarnessFailure) {
    self.folder = folder
    try Self.createAuthority(folder, "ca")
    try issue(
      "server", usage: "serverAuth, clientAuth",
      names: addresses.map { "IP:" + $0 }.joined(separator: ","))
    // The certificate has no common name: the gateway refuses one when etcd's users are enabled.
    try issue("client", usage: "clientAuth", names: "DNS:verifier")
  }

  /// Creates the key and the certificate of an authority.
  static func createAuthority(_ folder: String, _ name: String) throws(HarnessFailure) {
    try Command.succeed([
      "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
      "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)", "-days", "2", "-keyout",
      "\(folder)/\(name)-key.pem", "-out", "\(folder)/\(name).pem",
    ])
  }

  private func issue(_ name: String, usage: String, names: String) throws(HarnessFailure) {
    let path = folder + "/" + name
    try Command.succeed([
      "/usr/bin/openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-subj", "/O=tests", "-keyout", path + "-key.pem", "-out", path + ".request",
      "-addext", "subjectAltName=\(names)", "-addext", "extendedKeyUsage=\(usage)",
    ])
    try Command.succeed([
      "/usr/bin/openssl", "x509", "-req", "-in", path + ".request", "-CA", folder + "/ca.pem",
      "-CAkey", folder + "/ca-key.pem", "-CAcreateserial", "-days", "2", "-copy_extensions",
      "copyall", "-out", path + ".pem",
    ])
  }
}
