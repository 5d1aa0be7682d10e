import ArgumentParser
import MFABase
import MFAEnrollMessages
import MFAQRCode
import MultiFactorQR

/// The formats of picture files, by their names on the command line.
enum PictureFormat: String {
  case png, svg

  /// Returns the contents of a picture file for `bytes`.
  func picture(of bytes: borrowing SecretBytes) throws(Failure) -> SecretBytes {
    let symbol: QRSymbol
    do throws(QRCodeError) {
      symbol = try QRSymbol(encoding: bytes.span, errorCorrection: .medium)
    } catch {
      throw Failure(.noPicture(PictureObstacle(error)))
    }
    switch self {
    case .svg: return QRImage.svg(symbol)
    case .png:
      do throws(QRImageError) {
        return try QRImage.png(symbol)
      } catch {
        throw Failure(
          .noPicture(PictureObstacle(error, library: "libpng", package: "libpng16-16")))
      }
    }
  }
}

extension PictureObstacle {
  /// Creates the obstacle that an error of the encoder, or of another library, is.
  init(
    _ error: QRCodeError, library: String = "libqrencode", package: String = "libqrencode4"
  ) {
    self =
      switch error {
      case .empty, .tooLong: .urlTooLong
      case .outOfMemory: .outOfMemory
      case .libraryMissing: .libraryMissing(name: library, package: package)
      }
  }
}

/// The destination of a new key's picture.
enum PictureDestination: Equatable, ExpressibleByArgument {
  case terminal
  case file(path: String, format: PictureFormat)
  case nowhere

  init?(argument: String) {
    switch argument {
    case "terminal": self = .terminal
    case "none": self = .nowhere
    case _:
      guard let sign = argument.firstIndex(of: "="),
        let format = PictureFormat(rawValue: String(argument[..<sign]))
      else { return nil }
      let path = String(argument[argument.index(after: sign)...])
      guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
      self = .file(path: path, format: format)
    }
  }
}
