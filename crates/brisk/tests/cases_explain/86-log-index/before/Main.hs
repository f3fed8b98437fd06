module Main (main) where

import Data.ByteString (ByteString)
import qualified Data.ByteString.Char8 as B
import Data.List (foldl')
import qualified Data.Map.Strict as M
import System.Environment (getArgs)

import LogFile

-- session names and how often they failed
type Index = M.Map ByteString Int

addFile :: Index -> LogFile -> Index
addFile index file
  | errors == 0 = index
  | otherwise   = M.insertWith (+) (session file) errors index
  where errors = errorCount file

main :: IO ()
main = do
  args <- getArgs
  let files = case args of
        [a] -> read a
        _   -> 10000 :: Int
      index = foldl' addFile M.empty (map generate [1 .. files])
  putStrLn $ "sessions " ++ show (M.size index)
  putStrLn $ "errors   " ++ show (sum index)
  case M.lookupMin index of
    Just (s, n) -> B.putStrLn (B.unwords [B.pack "first   ", s, B.pack (show n)])
    Nothing     -> putStrLn "no errors"
  putStrLn $ "name bytes " ++ show (sum (map B.length (M.keys index)))
