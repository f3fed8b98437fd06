module Main (main) where

import Control.Monad.State.Strict
import System.Environment (getArgs)

import Interp
import Script

-- A little mixing function, run n times.
script :: Int -> [Stmt]
script n =
  [ "i" := Num n
  , "h" := Num 17
  , "odd" := Num 0
  , While (Ref "i")
      [ "h" := (Ref "h" :*: Num 31 :+: Ref "i") `Mod` Num 65521
      , If (Ref "h" `Mod` Num 2)
          [ "odd" := Ref "odd" :+: Num 1 ]
          [ "h" := Ref "h" :+: Num 3 :-: Ref "i" `Mod` Num 2 ]
      , If (Ref "i" `Mod` Num 10000) [] [ Print (Ref "h") ]
      , "i" := Ref "i" :-: Num 1
      ]
  , Print (Ref "odd")
  ]

runScript :: Int -> Run a -> Either ScriptError Env
runScript limit act = execStateT act (emptyEnv limit)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        [a] -> read a
        _   -> 220000
  case runScript (20 * n) (block (script n)) of
    Left err  -> putStrLn ("failed: " ++ show err)
    Right env -> do
      mapM_ print (reverse (output env))
      putStrLn ("fuel left: " ++ show (fuel env))
  putStrLn (either show (const "fine") (runScript 1000 (block [Print (Ref "nope")])))
