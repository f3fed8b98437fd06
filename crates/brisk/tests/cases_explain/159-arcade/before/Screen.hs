module Screen
  ( Frame
  , frame
  , prepare
  , draw
  , banner
  ) where

import System.IO

type Frame = [String]

-- A bordered picture: the function tells what is at a place.
frame :: Int -> Int -> (Int -> Int -> Char) -> Frame
frame w h at = border : map line [0 .. h - 1] ++ [border]
  where
    border = '+' : replicate w '-' ++ "+"
    line y = '|' : [ at x y | x <- [0 .. w - 1] ] ++ "|"

prepare :: IO ()
prepare = do
  hSetBuffering stdin NoBuffering
  hSetBuffering stdout NoBuffering
  hSetEcho' False
  where
    hSetEcho' on = do
      tty <- hIsTerminalDevice stdin
      if tty then hSetEcho stdin on else return ()

draw :: Frame -> IO ()
draw = mapM_ putStrLn

banner :: String -> IO ()
banner s = do
  putStrLn (replicate (length s) '=')
  putStrLn s
  putStrLn (replicate (length s) '=')
