{-# LANGUAGE OverloadedStrings #-}
module Main (main) where

import Data.Char (ord)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.IO as T
import System.Environment (getArgs)

import Script (renderScript)
import Term

variable :: Int -> Text
variable i = "slot_" <> showT i

-- A small scheduling problem: jobs with release times, and every job must
-- leave room for the next one on its machine.
schedule :: Int -> [Command]
schedule n = concatMap job [0 .. n - 1]
  where
    job i =
      [ Declare (variable i) "Int"
      , Assert (App ">=" [Var (variable i), Lit (release i)])
      ] ++ gap i
    gap i
      | i < 4     = [Note ("first job on machine " <> showT i)]
      | otherwise =
          [Assert (App ">=" [Var (variable i), App "+" [Var (variable (i - 4)), Lit (len (i - 4))]])]
    release i = (i * 7919) `mod` 97 - 5
    len i = 3 + (i * 31) `mod` 11

checksum :: Text -> Int
checksum = T.foldl' (\h c -> (h * 33 + ord c) `mod` 1000003) 5381

main :: IO ()
main = do
  [arg] <- getArgs
  let script = renderScript (schedule (read arg))
      shown = T.lines script
  mapM_ T.putStrLn (take 8 shown)
  T.putStrLn "..."
  mapM_ T.putStrLn (drop (length shown - 4) shown)
  T.putStrLn (T.concat [ "; ", showT (length shown), " lines, ", showT (T.length script)
                       , " characters, checksum ", showT (checksum script) ])
