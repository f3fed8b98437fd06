module Screen
  ( prepare
  , drawRow
  , status
  ) where

import System.IO

import Automaton

-- | Set up the terminal for a picture.
prepare :: IO ()
prepare = do
  hSetBuffering stdout (BlockBuffering Nothing)
  hSetEncoding stdout utf8

drawRow :: Row -> IO ()
drawRow row = putStrLn (map cell row)
  where
    cell True = '#'
    cell False = ' '

status :: Int -> Int -> IO ()
status generation alive =
  putStrLn ("-- generation " ++ show generation ++ ", alive " ++ show alive)
