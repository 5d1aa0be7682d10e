extension Administration.NewAuditLog {
  /// The result as text for an administrator.
  package var text: String {
    var text = unusable.map(\.line).joined()
    if !moved.isEmpty { text += "kept as \(NameList.text(moved)) in /var/lib/mfa\n" }
    text += "started a new audit log with \(entered) \(entered == 1 ? "record" : "records")\n"
    return text
  }
}
