module Main (main) where

import qualified Data.ByteString.Char8 as C
import qualified Data.Map.Strict as M
import           System.Environment (getArgs)

import           Catalog

paragraph :: C.ByteString
paragraph = C.pack "It was a bright cold day in April, and the lamps were lit.\n"

page :: Int -> C.ByteString
page k = C.concat
  (C.pack ("title: Chapter " ++ show k ++ "\n") : replicate (60 + k `mod` 13) paragraph)

main :: IO ()
main = do
  [a] <- getArgs
  let n   = read a :: Int
      cat = index [ (k, page k) | k <- [1 .. n] ]
  print (M.size cat)
  print (sum (map checksum (M.elems cat)) `mod` 1000003)
  print (sum (map (C.length . title) (M.elems cat)))
  mapM_ (C.putStrLn . title) (maybe [] pure (M.lookup (n `div` 2) cat))
