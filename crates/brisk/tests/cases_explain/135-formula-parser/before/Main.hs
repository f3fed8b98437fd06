module Main (main) where

import System.Environment (getArgs)
import Formula
import Text.Parsec (parse)

sheet :: Int -> [String]
sheet n = map cell [1 .. n]

cell :: Int -> String
cell k = wrap (k `mod` 3 + 2) (show (k `mod` 17))
  where
    wrap :: Int -> String -> String
    wrap 0 s = s
    wrap d s = "(" ++ wrap (d - 1) (s ++ "*" ++ show d) ++ ")+" ++ show d

main :: IO ()
main = do
  [arg] <- getArgs
  let cells = sheet (read arg)
      results = map (\c -> either (error . show) eval (parse formula "cell" c)) cells
  mapM_ putStrLn (zipWith (\c v -> c ++ " = " ++ show v) (take 4 cells) results)
  print (sum results)
