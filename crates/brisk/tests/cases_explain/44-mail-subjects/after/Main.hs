module Main (main) where

import Data.List (foldl')
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as M
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.IO as TIO
import System.Environment (getArgs)

import Mailbox

type Index = Map Text [Text]

addMessage :: Index -> Text -> Index
addMessage ix raw = case parseHeader raw of
  Nothing -> ix
  Just h  -> M.insertWith (++) (subject h) [messageId h] ix

buildIndex :: Int -> Index
buildIndex n = foldl' addMessage M.empty (map incoming [1 .. n])

main :: IO ()
main = do
  args <- getArgs
  let n = maybe 45000 read (lookup 0 (zip [0 :: Int ..] args))
      ix = buildIndex n
      chars = sum [T.length k + sum (map T.length ids) | (k, ids) <- M.toList ix]
  putStrLn (show (M.size ix) ++ " subjects, " ++ show (sum (map length (M.elems ix))) ++ " messages")
  putStrLn ("characters kept: " ++ show chars)
  mapM_ (\(k, ids) -> TIO.putStrLn (T.unwords (k : take 2 ids))) (take 3 (M.toList ix))
