module Main (main) where

import Control.Monad.Reader
import Control.Monad.State.Strict
import qualified Data.IntMap.Strict as M
import Interp
import Syntax
import System.Environment (getArgs)

i, n, s, t :: Name
[i, n, s, t] = [0 .. 3]

program :: Int -> [Stmt]
program size =
  [ Assign n (Lit size)
  , Assign i (Lit 0)
  , Assign s (Lit 1)
  , Assign t (Lit 0)
  , While (Less (Var i) (Var n))
      [ Assign s (Mod (Add (Mul (Var s) (Lit 75)) (Lit 74)) (Lit 65537))
      , If (Less (Mod (Var s) (Lit 10)) (Lit 5))
          [ Assign t (Add (Var t) (Mul (Var s) (Var i))) ]
          [ Assign t (Sub (Var t) (Add (Var s) (Lit 3))) ]
      , Assign i (Add (Var i) (Lit 1))
      ]
  ]

run :: [Stmt] -> Either String Store
run p = execStateT (runReaderT (execAll p) (Config 1000000007)) M.empty

main :: IO ()
main = do
  [arg] <- getArgs
  case run (program (read arg)) of
    Left err    -> putStrLn ("error: " ++ err)
    Right store -> mapM_ (\(x, v) -> putStrLn ("v" ++ show x ++ " = " ++ show v)) (M.toList store)
