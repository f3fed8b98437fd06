module Main (main) where

import Control.Monad (forM_)
import Data.Char (toLower)
import qualified Data.Set as S
import System.Environment (getArgs)

import Suggest

syllables :: [String]
syllables =
  [ "ba", "ker", "lin", "mo", "ta", "ri", "ston", "ve", "den", "hu"
  , "pel", "gor", "wi", "nes", "cha" ]

-- The known words: made up of three or four syllables.
dictionary :: Int -> [String]
dictionary n = S.toList (S.fromList (map build [1 .. n]))
  where
    build i = concat (take (3 + i `mod` 2) (pieces (i * 48271 `mod` 2147483647)))
    pieces s = (syllables !! (s `mod` 15)) : pieces (s `div` 15 + 7 * (s `mod` 11))

typedWords :: [String]
typedWords = ["Bakerlin", "motastom", "venesch", "Wigorden"]

bar :: Int -> String
bar k = replicate k '*'

-- The best five words, and for comparison the ones in the middle and at the end.
report :: [String] -> String -> [String]
report known typed = map line (take 5 ordered) ++
  [ "  ..."
  , line (ordered !! (length ordered `div` 2))
  , "  ..."
  , line (last ordered)
  ]
  where
    ordered = suggestions known typed
    line w  = "  " ++ w ++ " " ++ bar (distance (map toLower typed) w)

main :: IO ()
main = do
  [arg] <- getArgs
  let known = dictionary (read arg)
      exact = S.fromList known
  putStrLn (show (length known) ++ " known words")
  forM_ typedWords $ \w ->
    if w `S.member` exact
      then putStrLn (w ++ " is known")
      else do
        putStrLn (w ++ " is not known; did you mean")
        mapM_ putStrLn (report known w)
