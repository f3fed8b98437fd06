module Main (main) where

import qualified Data.ByteString.Char8 as BC
import Data.ByteString (ByteString)
import Data.List (foldl')
import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

import Page

data Entry = Entry
  { number :: !Int
  , tags   :: !Int
  }

type Index = Map.Map ByteString Entry

crawl :: Index -> Int -> Index
crawl index k = Map.insert (title page) (Entry k (weight page)) index
  where page = fetch k

main :: IO ()
main = do
  args <- getArgs
  let pages = if null args then 500 else read (head args)
      index = foldl' crawl Map.empty [1 .. pages]
  putStrLn (show (Map.size index) ++ " titles")
  putStrLn (show (sum (map tags (Map.elems index))) ++ " tags")
  mapM_ (\(t, e) -> BC.putStrLn t >> print (number e)) (take 3 (Map.toDescList index))
