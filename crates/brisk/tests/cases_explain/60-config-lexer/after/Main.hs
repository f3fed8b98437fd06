module Main (main) where

import Data.List (foldl')
import qualified Data.Map.Strict as Map
import Data.Text (Text)
import qualified Data.Text as T
import Lexer
import System.Environment (getArgs)
import Token

data Summary = Summary
  { names :: !(Map.Map Text Int)
  , ports :: !Int
  , quoted :: !Int
  , symbols :: !Int
  }

add :: Summary -> Token -> Summary
add s tok = case tok of
  Name w -> s { names = Map.insertWith (+) w 1 (names s) }
  Number n -> s { ports = ports s + n }
  Quoted q -> s { quoted = quoted s + T.length q }
  Symbol _ -> s { symbols = symbols s + 1 }

main :: IO ()
main = do
  args <- getArgs
  let entries = case args of
        (a : _) -> read a
        _ -> 260
      s = foldl' add (Summary Map.empty 0 0 0) (tokens (sample entries))
  putStrLn (show (Map.size (names s)) ++ " names, " ++ show (sum (names s)) ++ " uses")
  putStrLn ("ports " ++ show (ports s))
  putStrLn ("quoted " ++ show (quoted s) ++ ", symbols " ++ show (symbols s))
