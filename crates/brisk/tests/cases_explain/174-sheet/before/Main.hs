module Main (main) where

import Data.List (foldl', nub)
import qualified Data.Map.Strict as M
import System.Environment (getArgs)

import Formula

sheetText :: Int -> [(String, String)]
sheetText rows =
  [ (name, "= " ++ formula)
  | r <- [1 .. rows]
  , (col, formula) <-
      [ ('A', show (r * 37 `mod` 101))
      , ('B', "A" ++ show r ++ " * 2 + 1")
      , ('C', taxRule r)
      ]
  , let name = col : show r
  ]

taxRule :: Int -> String
taxRule r =
  "((((A" ++ row ++ " + 3) * 2 - B" ++ row ++ ") * (B" ++ row
    ++ " + " ++ show (r `mod` 9) ++ ")) + A" ++ row ++ " * 4)"
  where row = show r

loadCell :: (M.Map String Int, [String]) -> (String, String) -> (M.Map String Int, [String])
loadCell (env, errs) (name, src) =
  case parseFormula name src of
    Left _   -> (env, (name ++ ": not a formula") : errs)
    Right ex ->
      let v = evaluate env ex
          missing = [ c | c <- nub (cellsOf ex), M.notMember c env ]
          errs' = [ name ++ " refers to " ++ c | c <- missing ] ++ errs
      in v `seq` (M.insert name v env, errs')

columnTotal :: Char -> M.Map String Int -> Int
columnTotal col env =
  foldl' (+) 0 [ v | (c : _, v) <- M.toList env, c == col ]

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
      (env, errs) = foldl' loadCell (M.empty, []) (sheetText n ++ extra n)
  mapM_ putStrLn (reverse errs)
  putStrLn (show (M.size env) ++ " cells")
  mapM_ (\c -> putStrLn (c : ": " ++ show (columnTotal c env))) "ABCD"
  where
    extra n =
      [ ("D1", "= A1 + B1 - C1")
      , ("D2", "= (A2 + ")
      , ("D3", "= Z9 + C" ++ show (n :: Int))
      ]
