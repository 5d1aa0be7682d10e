import MFABytes
import MFASecrets
import MFAQRCode
import MFAQRImage

/// The formats of picture files, by their names on the command line.
enum PictureFormat: String {
  case png, svg

  /// Returns the contents of a picture file for `bytes`.
  func picture(of bytes: borrowing SecretBytes) throws(Failure) -> SecretBytes {
    let symbol: QRSymbol
    do throws(QRCodeError) {
      symbol = try QRSymbol(encoding: bytes.span, errorCorrection: .medium)
    } catch {
      throw Failure("no picture: \(error.reason)", hint: Self.hint)
    }
    switch self {
    case .svg: return QRImage.svg(symbol)
    case .png:
      do throws(QRImageError) {
        return try QRImage.png(symbol)
      } catch {
        throw Failure("no picture: \(error.reason)", hint: Self.hint)
      }
    }
  }

  private static let hint = "without --qr the key is shown as text, to be typed into the app"
}

extension QRCodeError {
  /// Why there is no picture, in lower case and without a full stop.
  var reason: String {
    switch self {
    case .empty: "there is nothing to draw"
    case .tooLong: "the url is too long for one"
    case .outOfMemory: "there is not enough memory"
    case .libraryMissing: "libqrencode is not installed on this host (Debian: libqrencode4)"
    }
  }
}

extension QRImageError {
  /// Why there is no picture, in lower case and without a full stop.
  var reason: String {
    switch self {
    case .libraryMissing: "libpng is not installed on this host (Debian: libpng16-16)"
    case .outOfMemory: "there is not enough memory"
    }
  }
}
