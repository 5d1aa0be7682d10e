import MFAWire

/// A connection to the helper, for the factors of the user who runs this process. The connection
/// closes when the object is released.
package protocol HelperLink: AnyObject {
  /// Sends a request and returns the helper's response. Notices that arrive before the response are
  /// skipped.
  func ask(_ request: consuming HelperRequest) throws(HelperError) -> HelperResponse
}
