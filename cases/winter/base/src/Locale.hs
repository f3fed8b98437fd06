-- | Names of files and exports are bytes, which need not be text in the user's
-- locale, nor in any.
module Locale
  ( passBytes
  ) where

import GHC.IO.Encoding (char8, setFileSystemEncoding)
import System.IO (hSetEncoding, stderr, stdout)

-- | From here on a character of an argument, of a path, and of what is printed
-- is a byte.
passBytes :: IO ()
passBytes = do
  setFileSystemEncoding char8
  mapM_ (`hSetEncoding` char8) [stdout, stderr]
