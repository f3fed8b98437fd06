{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import Data.List (foldl')
import qualified Data.Map.Strict as M
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.IO as T
import System.Environment (getArgs)

import Lexer

sourceText :: Int -> Text
sourceText n = T.unlines (concatMap block [1 .. n])
  where
    block i =
      [ "# step " <> shown i
      , "let total" <> shown (i `mod` 10) <> " = total * " <> shown i <> " + 3"
      , "if total > " <> shown (i * 100) <> " then print \"big\" else print \"small\""
      ]
    shown = T.pack . show

data Summary = Summary
  { counts  :: !(M.Map Text Int)
  , numbers :: !Int
  , strings :: !Int
  , symbols :: !Int
  }

note :: Summary -> Token -> Summary
note s t = case t of
  Keyword w  -> s { counts = M.insertWith (+) w 1 (counts s) }
  Name w     -> s { counts = M.insertWith (+) w 1 (counts s) }
  Literal k  -> s { numbers = numbers s + k }
  Quoted q   -> s { strings = strings s + T.length q }
  Operator _ -> s { symbols = symbols s + 1 }

main :: IO ()
main = do
  [arg] <- getArgs
  let tokens  = tokenize (sourceText (read arg))
      summary = foldl' note (Summary M.empty 0 0 0) tokens
  mapM_ (\(w, k) -> T.putStrLn (w <> ": " <> T.pack (show k)))
        (M.toList (counts summary))
  putStrLn ("sum of the numbers: " ++ show (numbers summary))
  putStrLn ("quoted characters:  " ++ show (strings summary))
  putStrLn ("operators:          " ++ show (symbols summary))
