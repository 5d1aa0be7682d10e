/// How long a session lasts, in which the user's factors can be changed.
public enum SessionLimit {
  /// The longest time from the proof that the user owns the account, in seconds.
  public static var seconds: Int64 { 600 }
}
