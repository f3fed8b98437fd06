import Data.List (foldl')
import qualified Data.Map.Strict as Map

main :: IO ()
main = print (Map.size (foldl' add Map.empty [1 .. 100000 :: Int]))
  where
    add known key = Map.insert (key * 7919 `mod` 50021) key known
