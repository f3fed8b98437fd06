module Main (main) where

import Console
import System.Environment (getArgs)

-- | Asks one question after another; each answer joins the running total.
survey :: Int -> Console Int
survey 0 = return 0
survey n = do
  total <- survey (n - 1)
  answer <- ask n
  if answer > 90
    then say answer >> return (total + answer)
    else return (total + answer)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 5500
      (total, said) = simulate 12345 (survey n)
  putStrLn ("total " ++ show total)
  putStrLn ("said  " ++ show (length said) ++ " times, sum " ++ show (sum said))
