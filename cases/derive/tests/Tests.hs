{-# OPTIONS_GHC -O0 #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Whether all ways make the bytes that aeson makes, of records drawn at random.
--
-- > derive-tests [SEED]
module Main (main) where

import Control.Monad (forM, unless)
import Data.Aeson (ToJSON, encode)
import qualified Data.ByteString.Lazy as Lazy
import System.Environment (getArgs)
import System.Exit (exitFailure)
import Test.QuickCheck hiding (Large, Small)
import Test.QuickCheck.Random (mkQCGen)

import EveryWay (everyWay)
import Record.Large (Large)
import Record.Small (Small)
import Samples
import Ways (Way (..), ways)

main :: IO ()
main = do
  arguments <- getArgs
  let seed = case arguments of
        [text] -> read text
        _ -> 2017 :: Int
  results <- forM (zip [seed ..] checks) $ \(from, (sentence, holds)) -> do
    result <- quickCheckWithResult stdArgs {replay = Just (mkQCGen from, 0), maxSuccess = 200, chatty = False} holds
    unless (isSuccess result) $ putStrLn ("FAILED: " ++ sentence ++ "\n" ++ output result)
    pure (isSuccess result)
  putStrLn ("derive: " ++ show (length results) ++ " ways checked against aeson, " ++ show (length (filter not results)) ++ " failures")
  unless (and results) exitFailure

checks :: [(String, Property)]
checks = concat
  [ like "Small" $(everyWay ''Small)
  , like "Large" $(everyWay ''Large)
  , like "Mixed" $(everyWay ''Mixed)
  , like "Person" $(everyWay ''Person)
  , like "Point" $(everyWay ''Point)
  , like "Names" $(everyWay ''Names)
  , like "Single" $(everyWay ''Single)
  , like "Wrapped" $(everyWay ''Wrapped)
  , like "Both, of numbers and records" ($(everyWay ''Both) :: [(String, Both Int [Point] -> Lazy.ByteString)])
  , like "Padded" $(everyWay ''Padded)
    -- The programs that are timed.
  , like "a small record, timed," [(Ways.name way, encodeSmall way) | way <- ways]
  , like "a large record, timed," [(Ways.name way, encodeLarge way) | way <- ways]
  ]

like :: forall a. (Arbitrary a, Show a, ToJSON a) => String -> [(String, a -> Lazy.ByteString)] -> [(String, Property)]
like what encoders =
  [ (what ++ " as aeson has it: " ++ way, forAllShrink arbitrary shrink (\value -> encoder value === encode (value :: a)))
  | (way, encoder) <- encoders
  ]
