module Token (Token (..), sample) where

import Data.Text (Text)
import qualified Data.Text as T

data Token
  = Name Text
  | Number Int
  | Quoted Text
  | Symbol Char
  deriving (Eq, Show)

sample :: Int -> Text
sample n = T.concat (map entry [1 .. n])
  where
    entry k = T.pack $ concat
      [ "service", show (k `mod` 13), " {\n"
      , "  port = ", show (8000 + k), ";\n"
      , "  host = \"node", show k, ".local\";\n}\n"
      ]
