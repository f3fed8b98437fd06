{-# LANGUAGE DeriveGeneric #-}

-- | The founding document's record of 5 numbers.
module Record.Small (Small (..), small) where

import GHC.Generics (Generic)

data Small = Small
  { field01 :: !Int
  , field02 :: !Int
  , field03 :: !Int
  , field04 :: !Int
  , field05 :: !Int
  }
  deriving Generic

-- | The first field as asked for; 2, 3, 4 and so on in the others.
small :: Int -> Small
small first = Small first 2 3 4 5
