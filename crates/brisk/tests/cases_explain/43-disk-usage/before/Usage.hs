module Usage where

data Usage = Usage
  { bytes     :: !Integer
  , fileCount :: !Int
  , dirCount  :: !Int
  , largest   :: !Int
  }

instance Semigroup Usage where
  Usage b f d l <> Usage b' f' d' l' = Usage (b + b') (f + f') (d + d') (max l l')

instance Monoid Usage where
  mempty = Usage 0 0 0 0

ofFile :: Int -> Usage
ofFile size = Usage (toInteger size) 1 0 size

ofDir :: Usage
ofDir = Usage 4096 0 1 0
