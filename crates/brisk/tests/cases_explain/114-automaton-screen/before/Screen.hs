module Screen
  ( prepare
  , drawRow
  , status
  ) where

import System.IO

import Automaton

-- | So that the picture grows on the screen while it is computed.
prepare :: IO ()
prepare = do
  hSetBuffering stdout NoBuffering
  hSetEncoding stdout utf8

drawRow :: Row -> IO ()
drawRow row = putStrLn (map cell row)
  where
    cell True = '#'
    cell False = ' '

status :: Int -> Int -> IO ()
status generation alive =
  putStrLn ("-- generation " ++ show generation ++ ", alive " ++ show alive)
