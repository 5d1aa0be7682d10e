/// How long a session lasts, in which the user's factors can be changed.
package enum SessionLimit {
  /// The longest time from the proof that the user owns the account, in seconds.
  package static var seconds: Int64 { 600 }
}
