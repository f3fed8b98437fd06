module Main where

import System.Environment (getArgs)

import Dictionary

-- | A text in which many words are misspelt in one way or another.
text :: Int -> [String]
text n = zipWith distort [1 ..] (take n (cycle (map spell [7919, 7919 * 14 ..])))
  where
    distort :: Int -> String -> String
    distort i w = case i `mod` 4 of
      0 -> w ++ "."
      1 -> 'q' : drop 1 w
      2 -> reverse w
      _ -> w

report :: [Verdict] -> [String]
report vs =
  [ "known:    " ++ show (length [ () | Known _ <- vs ])
  , "weight:   " ++ show (sum [ n | Known n <- vs ])
  , "similar:  " ++ show (sum [ length ws | Similar ws <- vs ])
  , "unknown:  " ++ show (length (filter (== Unknown) vs))
  ]

main :: IO ()
main = do
  args <- getArgs
  let size  = if null args then 300 else read (head args)
      vocab = vocabulary 5000
  mapM_ putStrLn . report . map (classify vocab) $ text size
