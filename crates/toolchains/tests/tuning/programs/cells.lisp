(defun build (d) (loop for i below d collect i))
(format t "~a~%" (loop repeat 50 sum (length (build 20000))))
