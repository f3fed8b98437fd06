module Main (main) where

import Data.List (foldl')
import qualified Data.Map.Strict as M
import qualified Data.Text as T
import Lexer
import System.Environment (getArgs)

sourceLine :: Int -> String
sourceLine k =
  "let v" ++ show (k `mod` 17) ++ " = (v" ++ show (k `mod` 13) ++ " + "
    ++ show (k * 37) ++ ") * offset" ++ show (k `mod` 5) ++ ";\n"

source :: Int -> T.Text
source n = T.pack (concatMap sourceLine [1 .. n])

frequencies :: [Token] -> M.Map String Int
frequencies = foldl' count M.empty
  where
    count m t = M.insertWith (+) (kind t) 1 m
    kind (Ident w) = "ident " ++ T.unpack (T.takeWhile (`notElem` "0123456789") w)
    kind (Number _) = "number"
    kind (Symbol c) = ['\'', c, '\'']

main :: IO ()
main = do
  [n] <- getArgs
  let ts = tokens (source (read n))
  putStrLn ("sum of numbers " ++ show (sum [k | Number k <- ts]))
  mapM_ (\(k, c) -> putStrLn (k ++ " " ++ show c)) (M.toList (frequencies ts))
