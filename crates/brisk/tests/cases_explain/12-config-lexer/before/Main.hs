module Main (main) where

import Lexer
import System.Environment (getArgs)

source :: Int -> String
source n = concatMap section [1 .. n]
  where
    section i =
      "[host" ++ show i ++ "]\n"
        ++ "port = " ++ show (8000 + i) ++ "\n"
        ++ "  name = server\n"
        ++ (if i `mod` 100 == 0 then "retry ? 3\n" else "retry = 3\n")

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 350
      tokens = tokenize (source n)
      bad = [p | Located p (Unexpected _) <- tokens]
  putStrLn ("tokens: " ++ show (length tokens))
  putStrLn ("errors: " ++ show bad)
  putStrLn ("lines:  " ++ show (sum [line p | Located p _ <- tokens]))
